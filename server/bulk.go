package server

import (
	"context"
	"strconv"
	"time"

	"signalbox/engine"
	"signalbox/server/wire"
	"signalbox/store"
)

// bulkOf is the bulk act that the path names; 0 where it names none.
func bulkOf(p *params) uint64 {
	v := p.path("id")
	if v == "" {
		return 0
	}
	id, err := strconv.ParseUint(v, 10, 64)
	if err != nil {
		p.fail(store.Invalid("bulk act "+strconv.Quote(v), "it is not a number", "write digits"))
	}
	return id
}

// watchBulk parks until the bulk act has got on; where it has not within the
// wait the answer is that there is nothing new.
func watchBulk(s Service, ctx context.Context, in watching) (engine.BulkState, error) {
	parked, cancel := context.WithTimeout(ctx, max(in.wait, time.Millisecond))
	defer cancel()
	state, err := s.WatchBulk(parked, in.id, in.after)
	if err != nil && parked.Err() != nil {
		return state, &store.Error{Code: store.CodeEmpty, Thing: "the bulk act", Rule: "nothing new"}
	}
	return state, err
}

func resultsOf(p *params) engine.ResultsRequest {
	return engine.ResultsRequest{ID: bulkOf(p), After: int(min(p.number("after"), engine.MaxSelection)), Limit: p.limit(), Failed: p.flag("failed")}
}

func bulkResults(s Service, ctx context.Context, in engine.ResultsRequest) (wire.BulkResults, error) {
	page, err := s.BulkResults(ctx, in)
	return wire.BulkResults{Results: wire.Outcomes(page.Results), Next: page.Next, More: page.More}, err
}
