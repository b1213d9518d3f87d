import { Counter, Gauge, Registry } from 'prom-client';
import { type ControlMetric, type ControlMetricName, controlMetrics } from './metric-table.ts';

/** One series of a gauge. */
export interface Series {
  readonly labels?: Readonly<Record<string, string>>;
  /** Undefined: it is not shown. */
  readonly value: number | undefined;
}

/** Creates the metrics of the table. */
export class MetricRegistry {
  readonly #registry = new Registry();

  counter(name: ControlMetricName<'counter'>): Counter {
    return new Counter(this.#options(name));
  }

  gauge(name: ControlMetricName<'gauge'>): Gauge {
    return new Gauge(this.#options(name));
  }

  /** A gauge whose figure is asked for when somebody looks; what was shown last stays while there is none. */
  shown(name: ControlMetricName<'gauge'>, figure: () => number | undefined): void {
    this.#collected(name, () => [{ value: figure() }]);
  }

  /** The end of a certificate, given in milliseconds of Unix time and shown in seconds. */
  expiry(name: ControlMetricName<'gauge'>, endOf: () => number | undefined): void {
    this.shown(name, () => {
      const endMs = endOf();
      return endMs === undefined ? undefined : endMs / 1000;
    });
  }

  /** The same for series with labels. */
  series(name: ControlMetricName<'gauge'>, all: () => readonly Series[]): void {
    this.#collected(name, all);
  }

  /** The same, where series that are not there any more are not shown. */
  currentSeries(name: ControlMetricName<'gauge'>, all: () => readonly Series[]): void {
    this.#collected(name, all, (gauge) => gauge.reset());
  }

  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #collected(
    name: ControlMetricName<'gauge'>,
    all: () => readonly Series[],
    before: (gauge: Gauge) => void = () => undefined,
  ): void {
    new Gauge({
      ...this.#options(name),
      collect() {
        before(this);
        for (const { labels = {}, value } of all()) if (value !== undefined) this.set(labels, value);
      },
    });
  }

  #options(name: keyof typeof controlMetrics) {
    const { help, labels = [] }: ControlMetric = controlMetrics[name];
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}
