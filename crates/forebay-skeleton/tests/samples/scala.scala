/** Bridges over rivers. */
package org.example.bridges

import scala.collection.mutable
import org.example.rivers.{River, Bank => Shore}

/** A bridge. */
abstract class Bridge[T <: River](val length: Int, name: String = "") extends Way with Ordered[Bridge[T]] {
  val pillars: Int = 4
  private val secret = 1
  var open: Boolean = true
  type Load = Int

  /** Crosses it. */
  def cross(who: String, speed: Double = 1.0)(implicit river: T): Option[String] = {
    val inner = 1
    Some(who)
  }

  def toll: Int

  private def hide(): Unit = ()
}

object Bridge {
  val Longest = 164
  def apply(length: Int): Bridge[River] = ???
}

trait Way {
  def width: Double
  def mark(colour: String): Unit = {
    println(colour)
  }
}

case class Toll(price: Int, coin: String)

sealed trait Kind
case object Arch extends Kind
case object Beam extends Kind

enum Side {
  case Left, Right
}

package object tools {
  def measure(bridge: Bridge[_]): Int = bridge.length
}

class Ramp(val slope: Int) extends Way:
  val width: Double = 1
  def climb(x: Int): Int =
    val steps = 42
    if x > 1 then { 1 } else { 2 }
  private def hidden = 1

object Ramps:
  val all = List(1).map { x =>
    x + 1
  }
  def count(): Int = all.size

extension (name: String)
  def shout: String = name.map { _.toUpper }
  def twice: String =
    name + name

given Ordering[Ramp] = ???
export Ramps.count
