// Gardens and what grows in them.

import Foundation
@testable import Soil

public let maxPlants = 100
private let secret = 1

/// A plant that grows.
public class Plant<T: Seed>: Living, Codable where T: Hashable {
    /// Its name.
    public let name: String
    public private(set) var height: Double = 0
    private var roots = 3
    public var isTall: Bool {
        return height > 2
    }
    public static let shared = Plant()

    /// Plants it.
    public init(name: String, seed: T? = nil) {
        self.name = name
    }

    deinit {
        print("gone")
    }

    /// Waters it.
    @discardableResult
    public func water(_ litres: Double, with can: Can = .small) async throws -> Bool {
        let inner = 1
        return inner > 0
    }

    private func wilt() {}

    subscript(index: Int) -> String {
        return ""
    }
}

public protocol Living: AnyObject {
    associatedtype Food
    var age: Int { get }
    func eat(_ food: Food) -> Bool
}

public struct Leaf {
    public var colour: String
    let veins: Int
}

public enum Season: String {
    case spring, summer
    case autumn = "fall"
    case other(String, days: Int)

    func next() -> Season { .spring }
}

extension Plant: CustomStringConvertible {
    public var description: String { name }
}

extension Leaf {
    func fold() {}
}

public typealias Bed = [Leaf]

public func rake<T>(_ beds: [T], times: Int = 1) rethrows -> [T] {
    return beds
}

actor Gardener {
    func work() async {}
}

/// Both the value and its text.
@freestanding(expression)
public macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "Macros", type: "Stringify")

infix operator +++: Joining
precedencegroup Joining { higherThan: AdditionPrecedence }
