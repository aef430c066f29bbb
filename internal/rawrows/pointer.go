package rawrows

import "strconv"

// descend reads a value that so many tokens of the pointer have led to.
func (j *judgement[T]) descend(text T, at, level int) int {
	j.answer = Answer{State: NotFound, Found: level}
	if level == len(j.pointer) {
		return j.target(text, at, level)
	}
	if at < len(text) && (text[at] == '{' || text[at] == '[') && level < Deepest {
		return j.into(text, at, level)
	}
	end, _ := valueEnd(text, at, level)
	return end
}

// target reads the value that the whole pointer leads to. What an earlier target came to is forgotten.
func (j *judgement[T]) target(text T, at, level int) int {
	if level > 0 {
		clear(j.tallies)
	}
	j.shape.restart(at)
	j.shape.patience = firstPatience
	j.answer.State, j.depth = Judged, level
	if at < len(text) && text[at] == '[' {
		return j.rows(text, at)
	}
	return j.other(text, at, -1)
}

// into reads an object or array through which the pointer leads.
func (j *judgement[T]) into(text T, at, level int) int {
	token, closing, wanted := j.pointer[level], text[at]+2, -1
	if index, err := strconv.Atoi(token); err == nil && strconv.Itoa(index) == token && closing == ']' {
		wanted = index
	}
	at, more := open(text, at, closing)
	for item := 0; more; item++ {
		onPath := item == wanted
		if closing == '}' {
			key := at
			keyEnd, value := memberStart(text, at)
			if value < 0 {
				return value
			}
			at, onPath = value, string(meant(text[key+1:keyEnd-1])) == token
		}
		if onPath {
			at = j.descend(text, at, level+1)
		} else {
			at, _ = valueEnd(text, at, level+1)
		}
		at, more = next(text, at, closing)
	}
	return at
}
