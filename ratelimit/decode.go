package ratelimit

import "go.yaml.in/yaml/v3"

// config reads a limiter into c.
func (d *decoder) config(c *Config) reader {
	return func(n *yaml.Node, path string) {
		d.depth++
		defer func() { d.depth-- }()
		if d.depth > maxDepth {
			d.fail(n, path, " is within %d limiters, want at most %d", maxDepth, maxDepth-1)
			return
		}
		d.object(n, path, fields{
			"preset":       d.preset(&c.Preset),
			"exponential":  d.exponential(&c.Exponential),
			"fastSlow":     d.fastSlow(&c.FastSlow),
			"constant":     d.constant(&c.Constant),
			"bucket":       d.bucket(&c.Bucket),
			"perNamespace": d.nested(&c.PerNamespace),
			"maxOf":        d.list(&c.MaxOf),
			"capped":       d.capped(&c.Capped),
			"byError":      d.byError(&c.ByError),
			"retryAfter":   d.retryAfter(&c.RetryAfter),
			"budget":       d.budget(&c.Budget),
		})
	}
}

func (d *decoder) preset(to *Preset) reader {
	return func(n *yaml.Node, path string) {
		const want = "the name of a preset"
		text, ok := d.scalar(n, path, want)
		if ok && text == "" {
			d.fail(n, path, ` is "", want %s`, want)
		}
		*to = Preset(text)
	}
}

func (d *decoder) exponential(to **ExponentialOptions) reader {
	return func(n *yaml.Node, path string) {
		o := &ExponentialOptions{}
		*to = o
		d.object(n, path, fields{
			"baseDelay": d.duration(&o.BaseDelay),
			"maxDelay":  d.duration(&o.MaxDelay),
			"factor":    d.number(&o.Factor),
			"jitter":    d.fraction(&o.Jitter),
			"ttl":       d.duration(&o.TTL),
			"maxItems":  d.integer(&o.MaxItems),
		})
	}
}

func (d *decoder) fastSlow(to **FastSlowOptions) reader {
	return func(n *yaml.Node, path string) {
		o := &FastSlowOptions{}
		*to = o
		d.object(n, path, fields{
			"fastDelay":    d.duration(&o.FastDelay),
			"slowDelay":    d.duration(&o.SlowDelay),
			"fastAttempts": d.integer(&o.FastAttempts),
			"jitter":       d.fraction(&o.Jitter),
			"ttl":          d.duration(&o.TTL),
			"maxItems":     d.integer(&o.MaxItems),
		})
	}
}

func (d *decoder) constant(to **ConstantOptions) reader {
	return func(n *yaml.Node, path string) {
		o := &ConstantOptions{}
		*to = o
		d.object(n, path, fields{
			"delay":    d.duration(&o.Delay),
			"jitter":   d.fraction(&o.Jitter),
			"ttl":      d.duration(&o.TTL),
			"maxItems": d.integer(&o.MaxItems),
		}, "delay")
	}
}

func (d *decoder) bucket(to **BucketOptions) reader {
	return func(n *yaml.Node, path string) {
		o := &BucketOptions{}
		*to = o
		d.object(n, path, fields{
			"rate":     d.number(&o.Rate),
			"burst":    d.integer(&o.Burst),
			"maxDelay": d.duration(&o.MaxDelay),
		})
	}
}

func (d *decoder) nested(to **Config) reader {
	return func(n *yaml.Node, path string) {
		*to = &Config{}
		d.config(*to)(n, path)
	}
}

func (d *decoder) list(to *[]Config) reader {
	return func(n *yaml.Node, path string) {
		*to = []Config{}
		if n.Kind != yaml.SequenceNode {
			d.fail(n, path, " is %s, want a list of limiters", described(n))
			return
		}
		for i, one := range n.Content {
			var c Config
			path := element(path, i)
			d.lines[path] = one.Line
			d.config(&c)(one, path)
			*to = append(*to, c)
		}
	}
}

func (d *decoder) capped(to **CappedConfig) reader {
	return func(n *yaml.Node, path string) {
		o := &CappedConfig{}
		*to = o
		d.object(n, path, fields{
			"limiter":  d.config(&o.Limiter),
			"maxDelay": d.duration(&o.MaxDelay),
		}, "limiter", "maxDelay")
	}
}

func (d *decoder) byError(to **ByErrorConfig) reader {
	return func(n *yaml.Node, path string) {
		o := &ByErrorConfig{}
		*to = o
		d.object(n, path, fields{
			"default": d.config(&o.Default),
			"classes": d.classes(o),
		}, "default")
	}
}

func (d *decoder) classes(o *ByErrorConfig) reader {
	return func(n *yaml.Node, path string) {
		o.Classes = make(map[string]Config)
		d.each(n, path, key, func(class, path string, n *yaml.Node) {
			var c Config
			d.config(&c)(n, path)
			o.Classes[class] = c
		})
	}
}

func (d *decoder) retryAfter(to **RetryAfterConfig) reader {
	return func(n *yaml.Node, path string) {
		o := &RetryAfterConfig{}
		*to = o
		d.object(n, path, fields{
			"limiter":  d.config(&o.Limiter),
			"maxDelay": d.duration(&o.MaxDelay),
			"jitter":   d.fraction(&o.Jitter),
		}, "limiter")
	}
}

func (d *decoder) budget(to **BudgetConfig) reader {
	return func(n *yaml.Node, path string) {
		o := &BudgetConfig{}
		*to = o
		d.object(n, path, fields{
			"limiter":  d.config(&o.Limiter),
			"share":    d.number(&o.Share),
			"minRate":  d.number(&o.MinRate),
			"burst":    d.integer(&o.Burst),
			"maxDelay": d.duration(&o.MaxDelay),
		}, "limiter")
	}
}
