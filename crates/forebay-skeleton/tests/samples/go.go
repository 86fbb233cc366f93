// Copyright 2024 The Ferry Authors. All rights reserved.
// Use of this source code is governed by a BSD-style license.

// Package ferry carries cars over water.
package ferry

import (
	"context"
	str "strings"

	"example.com/harbour/pier"
)

// MaxCars is how many cars fit.
const MaxCars = 40

const (
	// North is up.
	North Direction = iota
	South
	west
)

var (
	// ErrFull says that no car fits.
	ErrFull = newError("full")
	lanes   int
)

var Default = &Ferry{}

// Direction is where to.
type Direction int

// Ferry is a ship.
type Ferry struct {
	// Name is painted on it.
	Name  string `json:"name"`
	Speed float64
	cars  []Car
	pier.Pier
}

type (
	// Car has wheels.
	Car interface {
		Wheels() int
		str.Builder
	}
	Crew map[string]int
	hold struct{ depth int }
)

type List[T any] struct {
	Items []T
}

type Alias = List[int]

// New builds a ferry.
func New(name string, opts ...Option) (*Ferry, error) {
	f := func() int { return 1 }
	_ = f
	return &Ferry{Name: name}, nil
}

// Load takes a car on board.
func (f *Ferry) Load(ctx context.Context, car Car) (left int, err error) {
	const local = 3
	return local, nil
}

func (l List[T]) Len() int { return len(l.Items) }

func (f *Ferry) sink() {}

func Map[T, U any](in []T, change func(T) U) []U {
	return nil
}

func helper() string {
	return str.ToUpper("x")
}

type Option func(*Ferry)

// Weight is what cars are weighed in.
type Weight interface {
	~int | ~float64
}

// Freight is weighed and named.
type Freight interface {
	comparable
	~int | ~string
	String() string
}
