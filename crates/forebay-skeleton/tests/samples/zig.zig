//! Bells and how they ring.

const std = @import("std");
const tower = @import("tower.zig");

/// How many bells hang.
pub const bells: usize = 8;
const secret = 1;
pub var swings: u32 = 0;

/// A bell.
pub const Bell = struct {
    /// In kilograms.
    weight: f64,
    tone: Tone = .low,

    pub const heaviest = 2000;

    /// Casts a bell.
    pub fn init(weight: f64, tone: Tone) Bell {
        const inner = weight;
        return .{ .weight = inner, .tone = tone };
    }

    fn crack(self: *Bell) void {
        _ = self;
    }
};

pub const Tone = enum {
    low,
    high,

    pub fn hertz(self: Tone) u32 {
        return if (self == .low) 100 else 400;
    }
};

pub const Sound = union(enum) {
    ring: u32,
    silence,
};

pub const RingError = error{ Broken, Rusty };

/// Rings a bell.
pub fn ring(comptime T: type, bell: *const Bell, times: T) !void {
    _ = bell;
    _ = times;
}

fn hidden() void {}

pub extern fn toll(hour: c_int) callconv(.C) c_int;

test "rings" {
    try ring(u8, undefined, 1);
}

pub usingnamespace @import("more.zig");

/// A list of anything.
pub fn ListOf(comptime T: type) type {
    const first = 4;
    return struct {
        items: []T,

        const Self = @This();

        /// Puts one more in.
        pub fn append(self: *Self, item: T) void {
            _ = item + first;
        }

        fn grow(self: *Self) void {
            _ = self;
        }
    };
}

export fn exported(a: i32) i32 {
    return a;
}

pub const Handle = opaque {};
