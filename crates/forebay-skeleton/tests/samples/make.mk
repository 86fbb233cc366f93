# Builds the clock.
include parts.mk

CC ?= gcc
FLAGS := -O2 \
	-Wall
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

clean:
	rm -f *.o
