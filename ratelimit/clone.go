package ratelimit

import "slices"

// clone returns a copy of c that shares nothing with it, and in which a preset is
// written out.
func (c Config) clone() Config {
	if len(c.kinds()) == 0 || c.Preset != "" {
		if preset, ok := c.Preset.Config(); ok {
			return preset // It is made anew each time.
		}
		return c
	}
	c.Exponential, c.FastSlow = cloned(c.Exponential), cloned(c.FastSlow)
	c.Constant, c.Bucket = cloned(c.Constant), cloned(c.Bucket)
	c.Capped, c.ByError = cloned(c.Capped), cloned(c.ByError)
	c.RetryAfter, c.Budget = cloned(c.RetryAfter), cloned(c.Budget)
	c.PerNamespace = cloned(c.PerNamespace)
	c.MaxOf = slices.Clone(c.MaxOf)
	if c.ByError != nil {
		classes := make(map[string]Config, len(c.ByError.Classes))
		for class, l := range c.ByError.Classes {
			classes[class] = l.clone()
		}
		c.ByError.Classes = classes
	}
	for _, inner := range c.inner() {
		*inner = inner.clone()
	}
	return c
}

func cloned[V any](p *V) *V {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// inner returns the configs in c, but for those of classes.
func (c *Config) inner() (all []*Config) {
	for i := range c.MaxOf {
		all = append(all, &c.MaxOf[i])
	}
	switch {
	case c.PerNamespace != nil:
		all = append(all, c.PerNamespace)
	case c.Capped != nil:
		all = append(all, &c.Capped.Limiter)
	case c.ByError != nil:
		all = append(all, &c.ByError.Default)
	case c.RetryAfter != nil:
		all = append(all, &c.RetryAfter.Limiter)
	case c.Budget != nil:
		all = append(all, &c.Budget.Limiter)
	}
	return all
}

// firstExponential returns the options of the first exponential limiter in c, which
// is a clone, or nil.
func (c *Config) firstExponential() *ExponentialOptions {
	if c.Exponential != nil {
		return c.Exponential
	}
	for _, inner := range c.inner() {
		if found := inner.firstExponential(); found != nil {
			return found
		}
	}
	return nil
}

// sharedBucket returns the options of the first bucket in c, which is a clone, that
// all items share whatever their error is, or nil.
func (c *Config) sharedBucket() *BucketOptions {
	if c.Bucket != nil || c.PerNamespace != nil || c.ByError != nil {
		return c.Bucket
	}
	for _, inner := range c.inner() {
		if found := inner.sharedBucket(); found != nil {
			return found
		}
	}
	return nil
}
