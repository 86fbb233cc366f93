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
