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
	j.shape.reset()
	if at < len(text) && text[at] == '[' {
		return j.rows(text, at, level)
	}
	end, kind := valueEnd(text, at, level)
	if end >= 0 {
		j.answer.State, j.answer.Item, j.answer.Kind = NotRows, -1, settled(text, kind, at, end)
	}
	return end
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
			at, onPath = value, keyIs(text[key+1:keyEnd-1], token)
		}
		if onPath {
			at = j.descend(text, at, level+1)
		} else {
			at, _ = valueEnd(text, at, level+1)
		}
		if at < 0 {
			return at
		}
		at, more = next(text, at, closing)
	}
	return at
}

func keyIs[T Text](key T, token string) bool {
	if isItself(key) {
		return string(key) == token
	}
	return unescape(key) == token
}
