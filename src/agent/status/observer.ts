/** Whose metrics a merged answer holds. */
export type MetricsPart = 'agent' | 'application' | 'envoy';

/** Told of scrapes of the merged metrics; metrics are made of it. */
export interface ScrapeObserver {
  scraped(): void;
  /** This part is missing in the answer. */
  failed(part: MetricsPart): void;
}
