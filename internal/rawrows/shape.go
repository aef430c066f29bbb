package rawrows

import "slices"

// step is the stretch of bytes before one value of a row, and what is asked of that value.
type step struct {
	start, length int    // it is text[start:start+length]
	first, last   uint64 // its first and its last eight bytes
	mask          uint64 // the bits of first that belong to it, where it is shorter
	column        int    // -1: not declared
	accepts       Accepted
	date          bool
}

// remember takes text[start:end]. Where no word can be loaded there, the step matches nothing: other
// rows are nearer still to the text's end.
func remember[T Text](s *step, text T, start, end int) {
	s.start, s.length, s.mask = start, end-start, ^uint64(0)
	switch {
	case start+8 > len(text):
		s.length = len(text)
		return
	case s.length >= 8:
		s.last = Word(text, end-8)
	default:
		s.mask = 1<<(8*s.length) - 1
	}
	s.first = Word(text, start) & s.mask
}

// matches compares the stretch with the text at a position. It is false where the text's end is too near for a
// word, or for a byte behind the stretch.
func matches[T Text](s *step, text T, at int) bool {
	if at+max(s.length, 8) >= len(text) || Word(text, at)&s.mask != s.first {
		return false
	}
	for i := 8; i < s.length-8; i += 8 {
		if Word(text, at+i) != Word(text, s.start+i) {
			return false
		}
	}
	return s.length <= 8 || Word(text, at+s.length-8) == s.last
}

// turn looks whether the stretch of a later step stands here, and lets that step change places with step k. Between a
// comma and a row's bracket, which are what a stretch mostly begins with, it makes no difference.
func turn[T Text](steps []step, k int, text T, at int) bool {
	opening := uint64(',')
	if k == 0 {
		opening = '{'
	}
	if at+8 > len(text) {
		return false
	}
	word := Word(text, at)
	for i := k + 1; i < min(len(steps), k+mostTurned); i++ {
		s := &steps[i]
		if before := s.first; (word^before)&s.mask <= 0xFF && (byte(before) == ',' || byte(before) == '{') {
			if s.first = before&^0xFF | opening; matches(s, text, at) {
				steps[k], steps[i] = steps[i], steps[k]
				if k == 0 {
					steps[i].first ^= '{' ^ ','
				}
				return true
			}
			s.first = before
		}
	}
	return false
}

// The bounds of a shape: steps of a row, how far ahead one is looked for, and misses before another row is learned.
const mostSteps, mostTurned, mostPatience, firstPatience = 1024, 16, 4096, 2

// shape is what rows have in common: their stretches, and the columns that they do not have.
type shape struct {
	steps    []step
	absent   []int
	link     step // from a row's last value to the next row's bracket; empty where there was no next row
	usable   bool
	learning bool
	lastEnd  int // where the stretch that is being learned begins
	misses   int // rows in succession that did not follow
	patience int // misses before another row is learned; it grows each time
}

// restart drops what was learned and learns from a position on.
func (s *shape) restart(at int) {
	if len(s.steps) > 0 {
		clear(s.steps) // which hold bytes of the text
		*s = shape{steps: s.steps[:0], absent: s.absent[:0], patience: s.patience}
	}
	s.learning, s.lastEnd = true, at
}

// learn takes the stretch before a value.
func (j *judgement[T]) learn(text T, column, start, end int) {
	s := j.shape
	if !s.learning {
		return
	}
	if len(s.steps) == mostSteps {
		s.restart(0)
		s.learning = false
		return
	}
	s.steps = slices.Grow(s.steps, 1)[:len(s.steps)+1] // which has been cleared
	learned := &s.steps[len(s.steps)-1]
	remember(learned, text, s.lastEnd, start)
	if learned.column = column; column >= 0 {
		learned.accepts, learned.date = j.columns[column].Accepts, j.columns[column].Date
	}
	s.lastEnd = end
}

// followed lets rows follow the shape, if there is one, and has a row learned when too many have not.
func (j *judgement[T]) followed(text T, at, row int) (end, last, done int) {
	s := j.shape
	if !s.usable {
		return at, row, 0
	}
	if s.lastEnd > 0 { // the row behind the one that was learned
		remember(&s.link, text, s.lastEnd, at)
		s.lastEnd = 0
	}
	if end, last, done = j.follow(text, at, row); last > row {
		s.misses = 0
	}
	if done < len(s.steps) {
		if s.misses++; s.misses > s.patience {
			s.usable, s.learning, s.misses = false, true, 0
			s.patience = min(2*s.patience, mostPatience)
		}
	}
	return end, last, done
}

// follow judges rows from a bracket on, for as long as they keep the shape. It gives where it stopped: in which row,
// behind how many of its values.
func (j *judgement[T]) follow(text T, at, row int) (end, last, done int) {
	s := j.shape
	steps := s.steps
	for {
		for k := range steps {
			step := &steps[k]
			if !matches(step, text, at) && !turn(steps, k, text, at) {
				return at, row, k
			}
			start := at + step.length
			if text[start] <= ' ' { // more white space than in the stretch
				return at, row, k
			}
			kind := String
			switch c := text[start]; {
			case c == '"':
				at = stringEnd(text, start+1)
			case isDigit(c) || c == '-':
				at, kind = numberEnd(text, start)
			default:
				at, kind = valueEnd(text, start, j.depth+1)
			}
			switch {
			case at < 0:
				return at, row, k
			case step.column < 0, step.accepts.Has(kind) && (!step.date || kind != String || j.isDate(text[start+1:at-1])):
			default:
				j.judge(text, row, step.column, kind, start, at)
			}
		}
		if s.link.length == 0 || !matches(&s.link, text, at) {
			return at, row, len(steps)
		}
		for _, column := range s.absent {
			j.absent(column, row)
		}
		at += s.link.length
		row++
	}
}
