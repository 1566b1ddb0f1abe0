package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Trimtab is the contestant whose numbers are compared with the others'.
const Trimtab = "trimtab"

// Results are what benchstat says of one run, where the columns are contestants.
type Results struct {
	// Config are the lines of the form "key: value" of the run.
	Config map[string]string

	rows []row
}

// row is a benchmark in one unit.
type row struct {
	name    string            // of the benchmark
	params  map[string]string // the parts of its name that are key=value
	unit    string
	samples map[string]sample // by contestant
}

type sample struct {
	median float64
	spread string // of the median, as "3%", or "" if unknown
}

// Read reads what benchstat -format csv prints with a column for each contestant.
func Read(in io.Reader) (*Results, error) {
	lines := csv.NewReader(in)
	lines.FieldsPerRecord = -1
	records, err := lines.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	r := &Results{Config: map[string]string{}}
	var names, units []string // the heads of the table's columns
	for i, record := range records {
		switch {
		case len(record) == 1:
			key, value, _ := strings.Cut(record[0], ": ")
			r.Config[key] = value
			names = nil
		case record[0] == "" && i+1 < len(records) && records[i+1][0] == "" && slices.Contains(records[i+1], "CI"):
			names = record
		case record[0] == "":
			units = record
		case record[0] == "geomean":
		case names == nil:
			return nil, fmt.Errorf("report: %q: no head above it", record[0])
		default:
			if err := r.addRow(record, names, units); err != nil {
				return nil, fmt.Errorf("report: %s: %w", record[0], err)
			}
		}
	}
	if len(r.rows) == 0 {
		return nil, errors.New("report: no results")
	}
	return r, nil
}

// procs is what a benchmark's name ends with if GOMAXPROCS is not 1. The last part
// before it is key=value, or a word.
var procs = regexp.MustCompile(`-\d+$`)

func (r *Results) addRow(record, names, units []string) error {
	parts := strings.Split(procs.ReplaceAllString(record[0], ""), "/")
	add := row{name: parts[0], params: map[string]string{}, samples: map[string]sample{}}
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			return fmt.Errorf("%q: not of the form key=value", part)
		}
		add.params[key] = value
	}
	for column, unit := range units {
		if unit == "" || unit == "CI" || unit == "vs base" || unit == "P" {
			continue
		}
		if column >= len(record) || record[column] == "" {
			continue // this contestant has no such benchmark
		}
		median, err := strconv.ParseFloat(record[column], 64)
		if err != nil {
			return err
		}
		add.unit = unit
		add.samples[names[column]] = sample{median: median, spread: spread(record, column+1)}
	}
	r.rows = append(r.rows, add)
	return nil
}

// spread returns how far benchstat trusts a median: "∞" means it has too few samples.
func spread(record []string, column int) string {
	if column >= len(record) || record[column] == "∞" || record[column] == "0%" {
		return ""
	}
	return record[column]
}

// of returns the rows of a benchmark in that unit, whose parts are as in params.
func (r *Results) of(name, unit string, params map[string]string) []row {
	var found []row
	for _, row := range r.rows {
		if row.name == name && row.unit == unit && row.has(params) {
			found = append(found, row)
		}
	}
	return found
}

// most returns the rows that have the most keys.
func most(rows []row) []row {
	most := 0
	for _, row := range rows {
		most = max(most, row.keys())
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.keys() < most })
}

func (r row) has(params map[string]string) bool {
	for key, value := range params {
		if r.params[key] != value {
			return false
		}
	}
	return true
}

// keys returns how many keys the benchmark has, 0 if it does not say.
func (r row) keys() int {
	n, _ := strconv.Atoi(r.params["keys"]) // 0 otherwise
	return n
}

// ratio returns a's median for each of b's, both without what is bare if the row says.
// It reports false without both of them; nothing for nothing is 1.
func (r row) ratio(a, b string) (float64, bool) {
	x, okX := r.samples[a]
	y, okY := r.samples[b]
	without := r.samples[bare].median
	switch {
	case !okX || !okY:
		return 0, false
	case x.median == y.median:
		return 1, true
	default:
		return (x.median - without) / (y.median - without), true
	}
}

// over returns how much Trimtab's median is over the bare one, and false without both.
func (r row) over() (float64, bool) {
	x, okX := r.samples[Trimtab]
	y, okY := r.samples[bare]
	return x.median - y.median, okX && okY
}

// title says in words what the row's parts say, in a fixed order.
func (r row) title() string {
	order := []string{"op", "keys", "type", "state", "staying", "adds", "workers"}
	var words []string
	for _, key := range order {
		if value, ok := r.params[key]; ok {
			words = append(words, inWords(key, value))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.params)) {
		if !slices.Contains(order, key) {
			words = append(words, inWords(key, r.params[key]))
		}
	}
	return strings.Join(words, ", ")
}

func inWords(key, value string) string {
	value = strings.ReplaceAll(value, "-", " ")
	switch key {
	case "op", "state", "type", "when":
		return value
	case "keys":
		n, _ := strconv.Atoi(value) // a benchmark's own name
		return grouped(n) + " keys"
	case "workers":
		if value == "1" {
			return "1 worker"
		}
		return value + " workers"
	case "loops", "rounds":
		return value + " " + key
	case "staying":
		return value + " ones stay"
	default:
		return key + " " + value
	}
}
