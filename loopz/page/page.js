"use strict";
(() => {
	const every = (report) => (report.loops.length > 20 ? 4000 : 2000); // milliseconds between two looks
	const remember = 300; // seconds of charts
	const patience = 10000; // for an answer
	const phases = ["delay", "wait", "read", "compute", "write", "status"];
	const means = {
		delay: "deliberate: backoff, RequeueAfter, holds",
		wait: "too few workers, or a flood",
		read: "uncached or heavy reads",
		compute: "slow code or slow outside calls",
		write: "the API server or admission",
		status: "status churn",
	};
	const $ = (id) => document.getElementById(id);

	// Words: three digits are enough for anybody.
	const number = (x) => {
		if (x === null || x === undefined) return "–";
		if (x === 0) return "0";
		if (x >= 1000) return Math.round(x).toLocaleString("en");
		if (x >= 100) return String(Math.round(x));
		return String(Number(x.toPrecision(x < 1 ? 2 : 3)));
	};
	const rate = (x) => (x > 0 && x < 0.01 ? "<0.01" : number(x));
	const time = (s) => {
		if (s === null || s === undefined) return "–";
		if (s <= 0) return "0";
		if (s < 0.001) return Math.max(1, Math.round(s * 1e6)) + "µs";
		if (s < 0.9995) return number(s * 1000) + "ms";
		if (s < 59.95) return number(s) + "s";
		const whole = Math.round(s);
		if (whole < 3600) return Math.floor(whole / 60) + "m" + (whole % 60 ? (whole % 60) + "s" : "");
		const m = Math.round(whole / 60);
		return Math.floor(m / 60) + "h" + (m % 60 ? (m % 60) + "m" : "");
	};
	const share = (x) => (x > 0 && x < 0.005 ? "<1%" : Math.round(x * 100) + "%");
	const clock = (t) => new Date(t).toLocaleTimeString();
	const plural = (n, what) => number(n) + " " + what + (n === 1 ? "" : "s");

	// What is from the cluster gets into the document as text, and in no other way.
	// Nothing is touched that has not changed: focus and selection stay.
	const text = (node, value) => {
		if (node.textContent !== value) node.textContent = value;
	};
	const attr = (node, name, value) => {
		if (node.getAttribute(name) !== value) node.setAttribute(name, value);
	};
	const show = (node, on) => {
		if (node.hidden === on) node.hidden = !on;
	};
	const make = (template) => {
		const root = $(template).content.firstElementChild.cloneNode(true);
		const fields = { root };
		for (const node of root.querySelectorAll("[data-f]")) fields[node.dataset.f] = node;
		return fields;
	};
	// rows makes the children of parent those of items, each known by its key.
	const rows = (parent, template, items, key, fill) => {
		const known = parent.rows_ || (parent.rows_ = new Map());
		const seen = new Set();
		let at = parent.firstElementChild;
		for (const [i, item] of items.entries()) {
			let k = key(item, i);
			while (seen.has(k)) k += "\u0000"; // Two objects may look the same.
			seen.add(k);
			let fields = known.get(k);
			if (!fields) known.set(k, (fields = make(template)));
			fill(fields, item, i);
			if (fields.root === at) at = at.nextElementSibling;
			else parent.insertBefore(fields.root, at);
		}
		for (const [k, fields] of known) {
			if (seen.has(k)) continue;
			fields.root.remove();
			known.delete(k);
		}
	};
	const table = (f, name, items, key, fill) => {
		show(f[name + "None"], items.length === 0);
		show(f[name + "Table"], items.length > 0);
		rows(f[name], "t-" + name, items, key, fill);
	};

	// bar shows the parts as shares of a line.
	const bar = (node, parts) => {
		const total = parts.reduce((sum, [, s]) => sum + s, 0);
		while (node.children.length < parts.length) node.append(document.createElement("span"));
		const said = [];
		parts.forEach(([name, s], i) => {
			const piece = node.children[i];
			if (piece.className !== name) piece.className = name;
			piece.style.width = total > 0 ? ((100 * s) / total).toFixed(2) + "%" : "0";
			if (s > 0) said.push(name + " " + share(s / total));
		});
		attr(node, "aria-label", said.join(", ") || "nothing yet");
	};

	const svg = "http://www.w3.org/2000/svg";
	// chart draws lines over the last minutes; a null breaks a line.
	const chart = (node, points, lines, limit) => {
		attr(node, "viewBox", "0 0 100 40");
		attr(node, "preserveAspectRatio", "none");
		const now = points.length ? points[points.length - 1].t : 0;
		let top = 0;
		for (const [, pick] of lines) for (const p of points) top = Math.max(top, pick(p) ?? 0);
		if (limit && top > limit / 3) top = Math.max(top, limit * 1.1);
		const y = (v) => (top > 0 ? 38 - (36 * v) / top : 38).toFixed(2);
		const drawn = [["base", "0,38.5 100,38.5"]];
		if (limit && top >= limit) drawn.push(["limit", `0,${y(limit)} 100,${y(limit)}`]);
		for (const [name, pick] of lines) {
			let run = [];
			const end = () => {
				if (run.length === 1) run.push(run[0]);
				if (run.length) drawn.push([name, run.join(" ")]);
				run = [];
			};
			for (const p of points) {
				const v = pick(p);
				if (v === null || v === undefined) end();
				else run.push((100 - (100 * (now - p.t)) / remember).toFixed(2) + "," + y(v));
			}
			end();
		}
		while (node.children.length > drawn.length) node.lastChild.remove();
		while (node.children.length < drawn.length) node.append(document.createElementNS(svg, "polyline"));
		drawn.forEach(([name, path], i) => {
			attr(node.children[i], "class", name);
			attr(node.children[i], "points", path);
		});
	};

	// The loops: what is on the page, which are open, and what their charts show.
	const loops = new Map();
	const keyOf = (l, i) => i + ":" + l.name;

	const remembered = (view, report, l) => {
		const t = Date.parse(report.time) / 1000;
		const point = {
			t, p50: l.recent.latency.p50, p95: l.recent.latency.p95, p99: l.recent.latency.p99,
			depth: l.queue.depth, busy: l.workers.busy, requeues: l.rates.retries + l.rates.periodics, triggers: {},
		};
		for (const s of l.triggers) point.triggers[s.trigger] = s.latency;
		view.points.push(point);
		while (view.points[0].t < t - remember) view.points.shift();
	};

	const open = (view, on) => {
		view.open = on;
		attr(view.f.toggle, "aria-expanded", String(on));
		show(view.f.body, on);
		if (on && view.last) detail(view, view.last);
	};

	const viewOf = (l, i, isOpen) => {
		const f = make("t-loop");
		const id = "loop-" + i;
		f.root.id = id;
		f.name.id = id + "-name";
		f.body.id = id + "-body";
		f.triggersTitle.id = id + "-triggers";
		attr(f.root, "aria-labelledby", f.name.id);
		attr(f.toggle, "aria-controls", f.body.id);
		attr(f.triggersRegion, "aria-labelledby", f.triggersTitle.id);
		const view = { id, f, points: [], open: true, last: null };
		f.toggle.addEventListener("click", () => open(view, !view.open));
		open(view, isOpen);
		return view;
	};

	const summary = (l) => {
		const parts = [];
		if (!l.controller) parts.push("no controller is running");
		parts.push(rate(l.rates.runs) + " runs/s", "P95 " + time(l.recent.latency.p95), plural(l.queue.depth, "request") + " ready",
			l.workers.busy + " of " + plural(l.workers.limit, "worker") + " busy");
		if (l.advice.length) parts.push(plural(l.advice.length, "piece") + " of advice");
		return parts.join(" · ");
	};

	const detail = (view, l) => {
		const f = view.f;
		const recent = l.recent;
		show(f.note, !l.measured || !l.controller);
		text(f.note, !l.controller
			? "No controller runs on this loop's queue now: it has not started, is not the leader, or lacks WithOptions(loop.ControllerOptions(…))."
			: "This loop has no metrics: only its queue and its slow runs are known.");

		rows(f.advice, "t-advice", l.advice, (a) => a.rule + a.setting.split(/[0-9]/)[0], (a, item) => {
			text(a.text, item.text);
			text(a.setting, item.setting);
		});
		show(f.calm, l.advice.length === 0);
		text(f.calm, l.adviceSeconds < 30 ? "It takes half a minute of looking to give advice." : "Nothing stands out in the last " + time(Math.round(l.adviceSeconds)) + ".");

		const known = l.predicates.length > 0;
		text(f.events, rate(Math.max(0, l.rates.adds - l.rates.retries - l.rates.periodics)) + "/s");
		text(f.eventsMore, "added by handlers" + (known ? "; predicates admit " + rate(l.rates.admitted) + "/s, drop " + rate(l.rates.dropped) + "/s" : ""));
		text(f.queue, number(l.queue.depth) + " ready");
		text(f.queueMore, number(l.queue.delayed) + " wait for their time; " + rate(l.rates.adds) + "/s added, " + rate(l.rates.merges) + "/s of them merged");
		text(f.busy, l.workers.busy + " of " + l.workers.limit);
		text(f.busyMore, "busy now; " + number(recent.busyWorkers) + " on average in the last " + time(Math.round(l.recentSeconds)));
		text(f.runs, rate(l.rates.runs) + "/s");
		text(f.runsMore, rate(l.rates.errors) + "/s failed, " + rate(l.rates.noOps) + "/s changed nothing");
		const retry = l.triggers.find((s) => s.trigger === "retry");
		const timer = l.triggers.find((s) => s.trigger === "periodic");
		const backoff = (s) => (s && s.runs ? ", after " + time(s.phases.delay / s.runs) + " on average" : "");
		text(f.retries, rate(l.rates.retries) + "/s");
		text(f.retriesMore, backoff(retry));
		text(f.timers, rate(l.rates.periodics) + "/s");
		text(f.timersMore, backoff(timer));

		const p = recent.phases;
		const all = phases.map((name) => [name, p[name]]);
		const total = all.reduce((sum, [, s]) => sum + s, 0);
		text(f.barAllCap, "From enqueue to completion" + (recent.runs ? ", " + time(total / recent.runs) + " for each of " + plural(recent.runs, "run") + " in the last " + time(Math.round(l.recentSeconds)) : ": no run has ended in the last " + time(Math.round(l.recentSeconds))));
		bar(f.barAll, all);
		text(f.barRunCap, "Without the deliberate delay" + (recent.runs ? ", " + time((total - p.delay) / recent.runs) : ""));
		bar(f.barRun, all.slice(1));
		rows(f.phases, "t-phase", all, ([name]) => name, (r, [name, s]) => {
			r.swatch.className = "swatch " + name;
			text(r.name, name);
			text(r.share, total > 0 ? share(s / total) : "–");
			text(r.mean, recent.runs ? time(s / recent.runs) : "–");
			text(r.means, means[name]);
		});

		text(f.p95, time(recent.latency.p95));
		text(f.p95More, "P50 " + time(recent.latency.p50) + ", P99 " + time(recent.latency.p99));
		chart(f.p95Chart, view.points, [["p99", (q) => q.p99], ["p50", (q) => q.p50], ["p95", (q) => q.p95]]);
		f.depthCard.classList.toggle("over", l.queue.urgent > l.queue.threshold);
		text(f.depth, number(l.queue.depth));
		text(f.depthMore, (l.queue.urgent === l.queue.depth ? "" : number(l.queue.urgent) + " without resyncs; ") + "threshold " + l.queue.threshold
			+ (l.queue.oldestSeconds > 0 ? "; the oldest waits for " + time(l.queue.oldestSeconds) : "")
			+ (l.queue.overSeconds > 0 ? "; over it for " + time(l.queue.overSeconds) : "")
			+ (l.queue.nextSeconds !== null ? "; next timer in " + time(l.queue.nextSeconds) : ""));
		chart(f.depthChart, view.points, [["p95", (q) => q.depth]], l.queue.threshold);
		text(f.requeues, rate(l.rates.retries + l.rates.periodics) + "/s");
		text(f.requeuesMore, l.hot.length ? "most: " + l.hot[0].object + ", " + number(l.hot[0].requeues) : "none of late");
		chart(f.requeuesChart, view.points, [["p95", (q) => q.requeues]]);
		f.workersCard.classList.toggle("over", l.workers.limit > 0 && l.workers.busy >= l.workers.limit);
		text(f.workers, l.workers.busy + " of " + l.workers.limit);
		text(f.workersMore, (l.running.length ? "oldest: " + l.running[0].object + ", " + time(l.running[0].seconds) : "nothing in flight")
			+ (l.workers.overdue ? "; " + l.workers.overdue + " past the deadline" : "")
			+ (l.workers.deadlineSeconds ? "; deadline " + time(l.workers.deadlineSeconds) : ""));
		chart(f.workersChart, view.points, [["p95", (q) => q.busy]], l.workers.limit);

		rows(f.triggers, "t-trigger", l.triggers, (s) => s.trigger, (r, s) => {
			text(r.trigger, s.trigger);
			text(r.rate, rate(s.rate));
			text(r.p50, time(s.latency.p50));
			text(r.p95, time(s.latency.p95));
			text(r.p99, time(s.latency.p99));
			const run = s.phases.read + s.phases.compute + s.phases.write + s.phases.status;
			text(r.wait, s.runs ? time(s.phases.wait / s.runs) : "–");
			text(r.run, s.runs ? time(run / s.runs) : "–");
			text(r.noOps, s.runs ? share(s.noOps / s.runs) : "–");
			text(r.depth, number(s.depth));
			const of = (q) => q.triggers[s.trigger] || {};
			chart(r.chart, view.points, [["p99", (q) => of(q).p99], ["p50", (q) => of(q).p50], ["p95", (q) => of(q).p95]]);
		});

		const next = { running: "running", ready: "ready", idle: "–" };
		table(f, "hot", l.hot, (h) => h.object, (r, h) => {
			text(r.object, h.object);
			text(r.requeues, number(h.requeues));
			text(r.attempts, number(h.attempts));
			text(r.lastClass, h.lastClass || "–");
			text(r.next, h.state === "delayed" ? "in " + time(h.nextSeconds) : next[h.state] || h.state);
		});
		table(f, "running", l.running, (o) => o.object, (r, o) => {
			text(r.object, o.object);
			text(r.triggers, o.triggers);
			text(r.age, time(o.seconds));
		});
		table(f, "busiest", l.busiest, (o) => o.object, (r, o) => {
			text(r.object, o.object);
			text(r.time, time(o.seconds));
		});
		table(f, "slow", l.slow, (s) => s.object + s.ended, (r, s) => {
			text(r.object, s.object);
			text(r.triggers, s.triggers);
			text(r.class, s.class);
			text(r.attempt, s.attempt ? number(s.attempt) : "–");
			text(r.waited, time(s.phases.wait));
			text(r.run, time(s.seconds));
			bar(r.bar, phases.slice(2).map((name) => [name, s.phases[name]]));
			text(r.ended, clock(s.ended));
		});
		table(f, "predicates", l.predicates, (e) => e.predicate + " " + e.trigger, (r, e) => {
			text(r.predicate, e.predicate);
			text(r.trigger, e.trigger);
			text(r.admitted, number(e.admitted) + " (" + rate(e.admittedRate) + "/s)");
			text(r.dropped, number(e.dropped) + " (" + rate(e.droppedRate) + "/s)");
		});
		table(f, "classes", l.classes, (c) => c.class, (r, c) => {
			text(r.class, c.class);
			text(r.rate, rate(c.rate));
			text(r.total, number(c.total));
		});
		table(f, "calls", l.calls.slice(0, 15), (c) => c.kind + " " + c.verb, (r, c) => {
			text(r.kind, c.kind);
			text(r.verb, c.verb);
			text(r.rate, rate(c.rate));
			text(r.total, number(c.total));
		});
		const t = l.totals;
		rows(f.totals, "t-totals", [
			["runs", number(t.runs)], ["last success", t.lastSuccess ? clock(t.lastSuccess) : "–"], ["retries", number(t.retries)],
			["timers", number(t.periodics)], ["runs past their deadline", number(t.overruns)], ["panics", number(t.panics)],
			["panics of handlers", number(t.handlerPanics)], ["workers lost", number(t.workersLost)], ["given up", number(t.givenUp)],
			["hot loops", number(t.hotLoops)], ["backoffs started anew", number(t.failureResets)],
		], ([what]) => what, (r, [what, n]) => {
			text(r.what, what);
			text(r.n, n);
		});
	};

	// Advice is announced when it comes, not each time its numbers change.
	let announced = new Set();
	const announce = (report) => {
		const now = new Set();
		const news = [];
		for (const l of report.loops) {
			for (const a of l.advice) {
				const k = l.name + "\n" + a.rule;
				if (!now.has(k) && !announced.has(k)) news.push(l.name + ": " + a.text);
				now.add(k);
			}
		}
		announced = now;
		if (news.length) text($("news"), (news.length > 1 ? news.length + " new pieces of advice. " : "New advice. ") + news[0]);
	};

	const wanted = (name) => name.toLowerCase().includes($("filter").value.trim().toLowerCase());
	const filter = () => {
		for (const view of loops.values()) show(view.f.root, wanted(view.last.name));
		for (const row of $("all").rows) show(row, wanted(row.querySelector("a").textContent));
	};

	let started = null;
	const render = (report) => {
		const many = report.loops.length > 3;
		const first = loops.size === 0;
		if (started !== report.started) for (const view of loops.values()) view.points = [];
		started = report.started;
		show($("none"), report.loops.length === 0);
		show($("overview"), report.loops.length > 1);
		show($("find"), report.loops.length > 8);

		const seen = new Set();
		const inTrouble = report.loops.findIndex((l) => l.advice.length > 0);
		for (const [i, l] of report.loops.entries()) {
			const k = keyOf(l, i);
			seen.add(k);
			let view = loops.get(k);
			if (!view) {
				view = viewOf(l, i, !many || i === Math.max(0, first ? inTrouble : -1) || location.hash === "#loop-" + i);
				loops.set(k, view);
				$("loops").append(view.f.root);
			}
			view.last = l;
			remembered(view, report, l);
			text(view.f.name, l.name);
			text(view.f.sum, summary(l));
			if (view.open) detail(view, l);
		}
		for (const [k, view] of loops) {
			if (seen.has(k)) continue;
			view.f.root.remove();
			loops.delete(k);
		}
		rows($("all"), "t-overview", report.loops, keyOf, (r, l, i) => {
			text(r.name, l.name);
			attr(r.name, "href", "#loop-" + i);
			text(r.advice, l.advice.length ? String(l.advice.length) : "");
			r.advice.classList.toggle("pill", l.advice.length > 0);
			text(r.runs, rate(l.rates.runs));
			text(r.errors, rate(l.rates.errors));
			text(r.p95, time(l.recent.latency.p95));
			text(r.ready, number(l.queue.depth));
			text(r.workers, l.workers.busy + " of " + l.workers.limit);
			r.busy.style.width = l.workers.limit ? (100 * l.workers.busy) / l.workers.limit + "%" : "0";
		});
		filter();
		announce(report);
		text($("when"), clock(report.time));
	};

	// The line to the operator: look every few seconds while somebody sees it; when there
	// is no answer say so, and try again after 1 s, 2 s, and so on up to 15 s.
	let timer = 0;
	let failures = 0;
	let looking = false;
	let paused = false;

	const linked = (state, words) => {
		document.body.className = state;
		text($("link"), words);
	};
	const later = (ms) => {
		clearTimeout(timer);
		timer = setTimeout(look, ms);
	};
	const reason = (error) => {
		if (error.status === 401 || error.status === 403) return "It asks who you are (HTTP " + error.status + ").";
		if (error.status) return "Something answers with HTTP " + error.status + ".";
		if (error.name === "TimeoutError") return "It has taken more than " + patience / 1000 + "s.";
		if (error instanceof SyntaxError) return "What answers is no loopz.";
		return "";
	};
	const lose = (error) => {
		failures++;
		const wait = Math.min(15, 2 ** (failures - 1)) * (0.9 + 0.2 * Math.random());
		linked("gone", "Not connected");
		text($("why"), reason(error));
		text($("wait"), "Trying again in " + Math.max(1, Math.round(wait)) + "s." + ($("when").textContent ? " What you see is of " + $("when").textContent + "." : ""));
		show($("lost"), true);
		later(wait * 1000);
	};

	const look = async () => {
		if (looking || paused || document.hidden) return;
		looking = true;
		clearTimeout(timer);
		try {
			const answer = await fetch("?format=json", { cache: "no-store", signal: AbortSignal.timeout(patience) });
			if (!answer.ok) throw Object.assign(new Error(), { status: answer.status });
			const report = await answer.json();
			if (report.version !== 1) return location.reload(); // Another version serves another page.
			if (paused) return;
			render(report);
			if (failures || document.body.className !== "live") linked("live", failures ? "Live again" : "Live");
			failures = 0;
			show($("lost"), false);
			later(every(report));
		} catch (error) {
			lose(error);
		} finally {
			looking = false;
		}
	};

	$("pause").addEventListener("click", () => {
		paused = !paused;
		attr($("pause"), "aria-pressed", String(paused));
		if (paused) linked("", "Paused");
		else look();
	});
	$("now").addEventListener("click", look);
	$("filter").addEventListener("input", filter);
	addEventListener("online", look);
	document.addEventListener("visibilitychange", look);
	addEventListener("hashchange", () => {
		for (const view of loops.values()) if (location.hash === "#" + view.id) open(view, true);
	});
	look();
})();
