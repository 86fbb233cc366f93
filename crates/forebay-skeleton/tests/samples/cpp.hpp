// Shapes that can be drawn.

#pragma once
#include <vector>
#include "canvas.hpp"

namespace draw {

constexpr double kPi = 3.14159;

/// A point on the canvas.
struct Point {
    double x = 0;
    double y = 0;

    Point operator+(const Point& other) const;
    bool operator==(const Point&) const = default;

private:
    int tag_;
};

enum class Colour : int { Red, Green = 4 };

/// Anything that has an outline.
template <typename T, int N = 3>
class Shape : public Base, private Hidden<T> {
    int before_;

public:
    using Points = std::vector<Point>;
    static constexpr int kCorners = N;

    Shape();
    explicit Shape(const Points& points) : points_(points) {}
    Shape(const Shape&) = delete;
    virtual ~Shape() = default;

    /// How much canvas it takes.
    virtual double area() const = 0;
    const Points& points() const { return points_; }
    void move(double dx,
              double dy) noexcept override;

    template <typename U>
    U convert(U value) const {
        return value;
    }

    struct Inner {
        int depth;
    };

    Points visible;

protected:
    void repaint();

private:
    Points points_;
    void hide() {}
};

template <typename T>
concept Drawable = requires(T t) { t.draw(); };

template <typename T>
T largest(const std::vector<T>& all);

inline double twice(double x) { return 2 * x; }

void Canvas::clear(Colour colour) {
    int local = 1;
}

static int helper() { return 1; }

using Path = std::vector<Point>;
typedef unsigned long Handle;

struct opaque_pen;

class DRAW_API Brush : public QObject
{
    Q_OBJECT
    Q_PROPERTY(int width READ width)
public:
    explicit Brush(QObject* parent = nullptr);
    int width() const;
    friend void swap(Brush&, Brush&);
signals:
    void changed(int width);
public slots:
    void setWidth(int width);
private:
    int width_;
};

struct Pixel {
    int place;
    union {
        int packed;
        float grey;
    };
};

}  // namespace draw
