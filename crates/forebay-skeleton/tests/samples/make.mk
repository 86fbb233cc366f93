# Builds the clock.
include parts.mk

CC ?= gcc
PREFIX ?= /usr/local
NAME := clock
FLAGS := -O2 \
	-Wall
export TICK = 1
export TOCK
OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))

.PHONY: all clean

# Everything.
all: clock hands

clock: $(OBJECTS) | build
	$(CC) $(FLAGS) -o $@ $^
	strip $@

%.o: %.c
	$(CC) -c $<

hands:
	@echo hands

define wind
	echo winding
endef

install: clock
	install clock $(PREFIX)/bin

test: clock
	./clock --test

clean:
	rm -f *.o
