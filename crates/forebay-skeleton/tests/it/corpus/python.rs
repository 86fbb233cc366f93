//! Python, judged by its own `ast`.
