import { type MissingDestination, spanOfMissing } from '../compiler/merge/missing-destinations.ts';
import type { Locate } from '../compiler/render/origins-json.ts';
import { append } from '../lib/append.ts';
import { nameOfFile } from './good-versions.ts';

/** Destinations of the routes in force that no service has. */
export type MissingDestinations = readonly MissingDestination[];

/** A VirtualService in force that leads to destinations which no service has: requests that are routed there get 503. */
export interface MissingRow {
  /** `VirtualService/<namespace>/<name>` */
  readonly object: string;
  readonly file: string;
  /** Of the first of them. */
  readonly line: number | undefined;
  /** Their full names, with the port where only that is missing. */
  readonly destinations: readonly string[];
}

/** All of a mesh, of which the first are named. */
export interface MissingRows {
  /** Destinations, and VirtualServices. */
  readonly count: number;
  readonly objects: number;
  readonly routes: readonly MissingRow[];
}

/** So many destinations of one object, and so many objects, are named at most. */
const mostNamed = 10;
const mostObjects = 50;

/** Destinations without a service, by the VirtualServices that lead to them. */
export function missingRows(missing: MissingDestinations, locate: () => Locate): MissingRows {
  const byObject = new Map<MissingDestination['virtualService'], MissingDestination[]>();
  for (const it of missing) append(byObject, it.virtualService, it);
  const named = [...byObject].slice(0, mostObjects);
  return { count: missing.length, objects: byObject.size, routes: named.map(([, own]) => rowOf(own, locate)) };
}

function rowOf(missing: readonly MissingDestination[], locate: () => Locate): MissingRow {
  const [first] = missing as readonly [MissingDestination];
  const { kind, namespace, name } = first.virtualService;
  const span = spanOfMissing(first);
  const places = [
    ...new Set(missing.map(({ host, port }) => (port === undefined ? host : `${host} port ${port.number}`))),
  ];
  const more = places.length - mostNamed;
  return {
    object: `${kind}/${namespace}/${name}`,
    ...{ file: nameOfFile(span.file), line: locate()(span)?.line },
    destinations: more > 0 ? [...places.slice(0, mostNamed), `${more} more`] : places,
  };
}
