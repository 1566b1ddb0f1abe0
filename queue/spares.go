package queue

// spares keeps what nobody needs any more for reuse. The zero value keeps nothing yet.
type spares[E any] struct{ list []*E }

// take returns one of them, or a new one: zero in any case.
func (s *spares[E]) take() *E {
	last := len(s.list) - 1
	if last < 0 {
		return new(E)
	}
	e := s.list[last]
	s.list[last] = nil
	s.list = s.list[:last]
	return e
}

// put takes e back, to which nothing refers any more, unless there are enough.
func (s *spares[E]) put(e *E, enough int) {
	if len(s.list) >= enough {
		return
	}
	*e = *new(E)
	s.list = append(s.list, e)
}
