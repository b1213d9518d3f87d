import { type ConnectionEnds, isFromThisPod } from './loopback.ts';

/** What a request to the status port asks for, or what it is answered with at once. */
export type StatusRoute =
  | { readonly ask: 'ready' }
  | { readonly ask: 'probe'; readonly path: string }
  | { readonly ask: 'metrics'; readonly query: string }
  | { readonly ask: 'drain' | 'quit' }
  | { readonly status: 403 | 404 | 405; readonly text: string; readonly allow?: string };

const actions = new Map([
  ['/drain', 'drain'],
  ['/quitquitquit', 'quit'],
] as const);
const readers = ['GET', 'HEAD'];

/**
 * Compares the path byte by byte with what came before the first `?`: Envoy forwards here over loopback, and a path that
 * is decoded or cleaned up first could reach more than was meant. Who asks for an action is judged before the method.
 */
export function statusRoute(method: string, target: string, connection: ConnectionEnds): StatusRoute {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const action = actions.get(path as '/drain');
  if (action !== undefined) {
    if (!isFromThisPod(connection)) return { status: 403, text: 'only programs of this pod may ask for this' };
    return method === 'POST' ? { ask: action } : { status: 405, text: 'ask by POST', allow: 'POST' };
  }
  const isProbe = path.startsWith('/app-health/');
  if (path !== '/healthz/ready' && path !== '/stats/prometheus' && !isProbe) return { status: 404, text: '' };
  if (!readers.includes(method)) return { status: 405, text: 'ask by GET', allow: readers.join(', ') };
  if (isProbe) return { ask: 'probe', path };
  return path === '/healthz/ready'
    ? { ask: 'ready' }
    : { ask: 'metrics', query: mark < 0 ? '' : target.slice(mark + 1) };
}
