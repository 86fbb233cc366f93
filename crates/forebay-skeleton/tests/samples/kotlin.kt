/*
 * Copyright 2024 Somebody.
 */

// Boats and their crews.
package org.example.boats

import kotlin.math.max
import org.example.water.*

const val MAX_CREW = 12
private val secret = 1

/** A boat. */
@Serializable
open class Boat<T : Any>(val name: String, private var speed: Int = 3) : Vessel(name), Comparable<Boat<T>> {
    /** Where it is bound. */
    var target: String = ""
    private val log = mutableListOf<String>()
    val isMoving: Boolean
        get() = speed > 0

    constructor(name: String) : this(name, 1) {
        println(name)
    }

    /** Sets sail. */
    suspend fun sail(
        to: String,
        vararg stops: String,
    ): Result<Unit> {
        val inner = 1
        return Result.success(Unit)
    }

    override fun compareTo(other: Boat<T>): Int = 0

    private fun hide() {}

    companion object {
        const val FLAG = "red"
        fun of(name: String): Boat<Any> = Boat(name)
    }

    class Mast(val height: Int)
}

data class Port(val town: String, val depth: Double)

enum class Wind(val degrees: Int) {
    NORTH(0),
    SOUTH(180);

    fun opposite(): Wind = NORTH
}

sealed interface Signal {
    val text: String
    fun send(times: Int): Boolean
}

object Harbour {
    fun open() {}
}

typealias Crew = List<String>

fun Boat<*>.sink(depth: Int): Unit {
    val local = depth
}

inline fun <reified T> find(predicate: (T) -> Boolean): T? = null

class Rig {
    init { val q = 1 }

    enum class Sail(val area: Int) {
        JIB(1) { override fun hoist() = 1 },
        MAIN(2) {
            override fun hoist() = 2
        };

        abstract fun hoist(): Int
    }
}

enum class Rope { HALYARD, SHEET; fun coil() = 1 }
