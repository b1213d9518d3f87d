import type { ScrapeObserver } from '../status/observer.ts';
import type { Meters } from './meters.ts';

/** Counts scrapes of the merged metrics, and the parts that were missing in them. */
export function scrapeMetrics(meters: Meters): ScrapeObserver {
  return {
    scraped: () => meters.count('mesh_agent_scrapes_total'),
    failed: (type) => meters.count('mesh_agent_scrape_failures_total', { type }),
  };
}
