package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// jqLargest is about how many bytes a step of a jq program may work with. Its time
// is looked at between steps only, and one step can make of little a value of any
// size.
const jqLargest = 4 << 20

var (
	// jqRefused make an array as long as an index says, which no question needs.
	jqRefused = []string{"setpath", "pick", "fromstream"}
	// jqWhole give all that is in their input in one piece.
	jqWhole = []string{"add", "join", "tojson", "tostring", "flatten", "implode"}
)

// The functions that are put before steps: they give their input, or refuse.
const (
	jqFits     = "signalbox_fits"     // what a step takes in is not too large, with its arguments
	jqProduct  = "signalbox_product"  // nor what a multiplication gives
	jqOperandL = "$signalbox_operand" // bound before an operation is checked
	jqOperandR = "$signalbox_other"
)

var errJQLarge = errors.New("it makes too large a value")

// jqBounds are the functions that boundJQ puts into programs.
var jqBounds = []gojq.CompilerOption{
	gojq.WithFunction(jqFits, 0, 2, func(input any, args []any) any {
		left := jqLargest
		for _, arg := range args {
			left = min(left, jqLargest-jqSize(arg, jqLargest))
		}
		if of, ok := input.([]any); ok && len(args) > 0 { // join puts its argument between all
			left -= len(of) * (jqLargest - left)
		}
		if left <= 0 || jqSize(input, left) >= left {
			return errJQLarge
		}
		return input
	}),
	gojq.WithFunction(jqProduct, 2, 2, func(input any, args []any) any {
		for n, arg := range args {
			text, isText := arg.(string)
			times, isNumber := gojq.ToFloat64(args[1-n])
			if isText && isNumber && float64(len(text))*times > jqLargest {
				return errJQLarge
			}
		}
		return input
	}),
}

// jqSize is about how many bytes a value takes written out; no more than most are
// counted, since parts may be in it many times over.
func jqSize(v any, most int) int {
	size := 1
	switch v := v.(type) {
	case string:
		size += len(v)
	case []any:
		for _, e := range v {
			if size >= most {
				break
			}
			size += jqSize(e, most-size)
		}
	case map[string]any:
		for key, e := range v {
			if size >= most {
				break
			}
			size += len(key) + jqSize(e, most-size)
		}
	}
	return min(size, most)
}

// boundJQ refuses what makes a value of any size in one step, and has the other
// steps that give more than they take checked before they are done.
func boundJQ(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if err := boundJQ(v.Elem()); err != nil { // what is in it first: what is put in needs no check
			return err
		}
		switch node := v.Interface().(type) {
		case *gojq.Query:
			return boundQuery(node)
		case *gojq.Term:
			return boundTerm(node)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			if err := boundJQ(field); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := boundJQ(v.Index(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func boundQuery(q *gojq.Query) error {
	check := ""
	switch q.Op {
	case gojq.OpAssign, gojq.OpModify, gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
		return fmt.Errorf("%s changes a value, and a filter only asks", q.Op)
	case gojq.OpAdd:
		check = jqFits
	case gojq.OpMul:
		check = jqProduct
	default:
		return nil
	}
	left, right := jqCall(jqOperandL), jqCall(jqOperandR)
	done := jqPipe(jqCall(check, left, right), &gojq.Query{Left: left, Op: q.Op, Right: right})
	first := &gojq.Query{Left: q.Left, Op: gojq.OpPipe, Patterns: []*gojq.Pattern{{Name: jqOperandL}}, Right: done}
	*q = gojq.Query{FuncDefs: q.FuncDefs, Left: q.Right, Op: gojq.OpPipe, Patterns: []*gojq.Pattern{{Name: jqOperandR}}, Right: first}
	return nil
}

func boundTerm(t *gojq.Term) error {
	if t.Str != nil { // what is put into texts is made one
		for i, part := range t.Str.Queries {
			if part.Term == nil || part.Term.Str == nil {
				t.Str.Queries[i] = &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeQuery, Query: jqPipe(part, jqCall(jqFits))}}
			}
		}
	}
	f := t.Func
	switch {
	case f == nil:
	case strings.HasPrefix(f.Name, "_"), slices.Contains(jqRefused, f.Name):
		return fmt.Errorf("%s is not for filters", f.Name)
	case slices.Contains(jqWhole, f.Name):
		t.Type, t.Func = gojq.TermTypeQuery, nil
		t.Query = jqPipe(jqCall(jqFits, f.Args...), jqCall(f.Name, f.Args...))
	}
	return nil
}

func jqPipe(from, to *gojq.Query) *gojq.Query {
	return &gojq.Query{Left: from, Op: gojq.OpPipe, Right: to}
}

func jqCall(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}
