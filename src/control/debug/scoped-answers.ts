import type { MissingRows } from '../../live/missing-rows.ts';
import type { DebugReader } from '../auth/reader.ts';
import type { ProxiesAnswer, WhyAnswer } from './answers.ts';
import type { DebugAnswers } from './debug-server.ts';

type Answer = DebugAnswers[string];

/**
 * What a reader of some namespaces is told: proxies and objects of these alone, and of all others what is told where there is
 * nothing. Who reads all namespaces is told everything that changes nothing.
 */
export function scopedAnswers(answers: DebugAnswers, { namespaces }: DebugReader): DebugAnswers {
  if (namespaces === 'all') return answers;
  const isIn = (path: string | null): boolean => path !== null && namespaces.has(path.slice(0, path.indexOf('/')));
  const ofProxy =
    (answer: Answer): Answer =>
    (query) =>
      isIn(query.get('proxy')) ? answer(query) : undefined;
  const rowsOf =
    (answer: Answer): Answer =>
    async (query) => {
      const said = (await answer(query)) as Pick<ProxiesAnswer, 'proxies'> | undefined;
      return said && { ...said, proxies: said.proxies.filter(({ proxy }) => isIn(proxy)) };
    };
  const ofObject =
    (answer: Answer): Answer =>
    (query) => {
      // `<kind>/<namespace>/<name>`; an object without a namespace is of nobody's.
      const [, namespace, ...name] = (query.get('resource') ?? '').split('/');
      return name.length === 1 && isIn(`${namespace}/`) ? answer(query) : undefined;
    };
  const whyOf =
    (answer: Answer): Answer =>
    async (query) => {
      const said = (await answer(query)) as WhyAnswer | undefined;
      const missing = said?.missing && { missing: missingFor(said.missing, isIn) };
      return said && { ...said, faults: said.faults.map((fault) => faultFor(fault, isIn)), ...missing };
    };
  const scopes: Readonly<Record<string, (answer: Answer) => Answer>> = {
    '/debug/syncz': rowsOf,
    '/debug/why': (answer) => ofProxy(whyOf(answer)),
    '/debug/config_dump': ofProxy,
    '/debug/adsz': ofProxy,
    '/debug/config_distribution': (answer) => ofObject(rowsOf(answer)),
  };
  return Object.fromEntries(
    Object.entries(answers).flatMap(([path, answer]) => {
      const scope = Object.hasOwn(scopes, path) ? scopes[path] : undefined;
      return scope === undefined ? [] : [[path, scope(answer)]];
    }),
  );
}

type Fault = WhyAnswer['faults'][number];

/** An object of another namespace may freeze a proxy: its name is told, and not what it says, which errors quote. */
function faultFor(fault: Fault, isIn: (path: string) => boolean): Fault {
  const own = fault.object?.slice(fault.object.indexOf('/') + 1);
  return own !== undefined && isIn(own) ? fault : { ...fault, errors: [] };
}

/** The same of routes: their destinations are what a VirtualService says. */
function missingFor(missing: MissingRows, isIn: (path: string) => boolean): MissingRows {
  const isOwn = (object: string): boolean => isIn(object.slice(object.indexOf('/') + 1));
  return { ...missing, routes: missing.routes.map((row) => (isOwn(row.object) ? row : { ...row, destinations: [] })) };
}
