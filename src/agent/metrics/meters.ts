import { Counter, Gauge, Registry } from 'prom-client';
import { type CounterName, type GaugeName, type Metric, metricTable } from './metric-table.ts';

export type Labels = Readonly<Record<string, string>>;

/** The metrics of the table. What has no labels, or labels of known values, is there from the start, at 0. */
export class Meters {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();

  constructor() {
    for (const metric of metricTable as readonly Metric[]) this.#register(metric);
  }

  /** Adds to a counter; `by` is not negative. */
  count(name: CounterName, labels: Labels = {}, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  set(name: GaugeName, value: number, labels: Labels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** Moves a gauge up or down. */
  add(name: GaugeName, by: number): void {
    this.#gauges.get(name)?.inc(by);
  }

  /** Removes a series whose object no longer exists. */
  remove(name: GaugeName, labels: Labels): void {
    this.#gauges.get(name)?.remove(labels);
  }

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #register({ name, type, help, labels = {} }: Metric): void {
    const options = { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
    const [label, values = []] = Object.entries(labels)[0] ?? [];
    if (type === 'counter') {
      const counter = new Counter(options);
      this.#counters.set(name, counter);
      if (label !== undefined) for (const value of values) counter.inc({ [label]: value }, 0);
    } else {
      this.#gauges.set(name, new Gauge(options));
    }
  }
}
