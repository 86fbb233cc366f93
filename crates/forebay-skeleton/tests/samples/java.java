/*
 * Licensed under the Apache License, Version 2.0.
 */

/** Lamps and their light. */
package org.example.lamps;

import java.util.List;
import static java.util.Map.entry;
import org.example.power.*;

/**
 * A lamp that shines.
 *
 * @param <T> what it runs on
 */
@Deprecated
public abstract class Lamp<T extends Power> extends Thing implements Light, Comparable<Lamp<T>> {
    public static final int WATTS = 60;
    protected String name = "lamp";
    private int secret;
    int first, second = 2;

    /** Makes a lamp. */
    public Lamp(String name, T power) {
        this.name = name;
    }

    /** Turns it on. */
    @Override
    public <R> List<R> turnOn(final int level, List<? extends R> others)
            throws LampException, InterruptedException {
        Runnable inner = () -> {};
        return null;
    }

    public void turnOn() {
    }

    protected abstract int brightness();

    private void hide() {
    }

    static int count() {
        return 0;
    }

    /** Shapes of lamps. */
    public enum Shape implements Light {
        /** Like a ball. */
        ROUND(1),
        LONG(2) {
            @Override
            int size() {
                return 3;
            }
        };

        private final int size;

        Shape(int size) {
            this.size = size;
        }

        int size() {
            return size;
        }
    }

    public interface Switch {
        int STEPS = 3;

        void press(int times);

        default boolean isOn() {
            return true;
        }
    }

    public record Place(String room, int height) {
        public Place {
            assert height > 0;
        }

        public static Place of(String room) {
            return new Place(room, 1);
        }
    }

    public @interface Bright {
        int value() default 1;
    }
}
