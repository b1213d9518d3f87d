import type { PlainLog } from '../../lib/log.ts';
import type { MissingRow, MissingRows } from '../../live/missing-rows.ts';

/** Destinations of the routes in force that no service has; the log has them whenever they are others than before. */
export class MissingRoutes {
  #rows: MissingRows | undefined;
  #told = '';

  /** Of the last compilation; undefined: there was none. */
  get rows(): MissingRows | undefined {
    return this.#rows;
  }

  take(rows: MissingRows, log: Pick<PlainLog, 'info' | 'warn'>): void {
    this.#rows = rows;
    const text = rows.routes.map(nameOf).join('\n');
    if (text === this.#told) return;
    this.#told = text;
    if (rows.count === 0) log.info('every destination of a VirtualService has a service again');
    else log.warn(`requests that are routed to these destinations get 503, because no service has them\n${text}`);
  }
}

/** Lines of a file that many edit move. */
function nameOf({ object, file, destinations }: MissingRow): string {
  return `${object} (${file}): ${destinations.join(', ')}`;
}
