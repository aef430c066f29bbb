package rawrows

// rows reads the array of rows from its bracket.
func (j *judgement[T]) rows(text T, at int) int {
	if j.depth == Deepest {
		return ^at
	}
	j.depth++
	j.answer.Start = at
	at, more := open(text, at, ']')
	if !more {
		j.answer.State = Empty
	}
	for row := 0; more; row++ {
		done := 0
		if at, row, done = j.followed(text, at, row); at < 0 {
			return at
		}
		at = afterSpace(text, at) // there may be more of it than in the rows that were learned
		if done > 0 || at < len(text) && text[at] == '{' && j.depth < Deepest {
			at = j.row(text, at, row, done)
		} else {
			at = j.other(text, at, row)
		}
		j.answer.Rows = row + 1
		at, more = next(text, at, ']')
	}
	return at
}

// other reads what stands where rows were looked for, or an item of theirs that is no object. The first one settles the
// answer; the rest of the text only has to be JSON.
func (j *judgement[T]) other(text T, at, item int) int {
	end, kind := valueEnd(text, at, j.depth)
	if end >= 0 && j.answer.State == Judged {
		j.answer.State, j.answer.Item, j.answer.Kind = NotRows, item, settled(text, kind, at, end)
	}
	return end
}

// row reads an object by hand, from its bracket or from behind as many values as have followed the shape.
func (j *judgement[T]) row(text T, at, row, done int) int {
	more := false
	j.present = 0
	if j.repeated = done > 0; done > 0 { // a row that is read by hand only in part is not learned
		j.resume(row, done)
		at, more = next(text, at, '}')
	} else {
		if j.shape.learning {
			j.shape.restart(at)
		}
		at, more = open(text, at, '}')
	}
	for more {
		at = j.member(text, at, row)
		at, more = next(text, at, '}')
	}
	if at >= 0 {
		j.end(row)
	}
	return at
}

// resume notes which columns have been met before a row left the shape.
func (j *judgement[T]) resume(row, done int) {
	for _, step := range j.shape.steps[:done] {
		if step.column >= 0 {
			j.present++
			j.tallies[step.column].lastRow = row + 1
		}
	}
}

// member reads a key and its value and judges it if its column is declared.
func (j *judgement[T]) member(text T, at, row int) int {
	column, start := j.expected(text, at)
	if start == 0 {
		key := at
		at, start = memberStart(text, at)
		if start < 0 {
			return start
		}
		column = j.columnOf(text[key+1 : at-1])
	}
	at, kind := valueEnd(text, start, j.depth+1)
	if at < 0 {
		return at
	}
	if column >= 0 {
		if j.tallies[column].meet(row) {
			j.repeated = true
		} else {
			j.present++
		}
		j.judge(text, row, column, kind, start, at)
	}
	j.learn(text, column, start, at)
	return at
}

// expected looks whether a member begins with the name of the column that comes next if the row keeps the order of the
// declaration, and a value right behind the colon. It gives that column and where the value begins, or 0.
func (j *judgement[T]) expected(text T, at int) (column, value int) {
	if j.present == len(j.columns) {
		return 0, 0
	}
	name := j.columns[j.present].Name
	value = at + len(name) + len(`"":`)
	if value < len(text) && text[at] == '"' && text[value-2] == '"' && text[value-1] == ':' && text[value] > ' ' &&
		string(text[at+1:value-2]) == name && isPlain(name) {
		return j.present, value
	}
	return 0, 0
}

// fewColumns is how many names are compared one by one rather than looked up in a map.
const fewColumns = 8

// columnOf finds the column that a key names, or -1.
func (j *judgement[T]) columnOf(key T) int {
	key = meant(key)
	if len(j.columns) > fewColumns {
		return j.names[string(key)] - 1
	}
	for c := range j.columns {
		if name := j.columns[c].Name; len(name) == len(key) && string(key) == name {
			return c
		}
	}
	return -1
}

// end is called at the end of a row that was read by hand. It counts the columns that the row does not have.
func (j *judgement[T]) end(row int) {
	s := j.shape
	learned := s.learning && !j.repeated && len(s.steps) > 0
	if learned {
		s.learning, s.usable = false, true
	}
	if j.present == len(j.columns) {
		return
	}
	for c := range j.columns {
		if j.tallies[c].lastRow != row+1 {
			if learned {
				s.absent = append(s.absent, c)
			}
			j.absent(c, row)
		}
	}
}

func (j *judgement[T]) absent(column, row int) {
	t := &j.tallies[column]
	t.Absent++
	if !j.columns[column].Accepts.Has(Missing) {
		t.offend(row, Missing, 0, 0)
	}
}
