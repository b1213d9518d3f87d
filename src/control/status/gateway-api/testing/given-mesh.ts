import { parseAllDocuments } from 'yaml';
import { newFleet } from '../../../../live/testing/given-fleet.ts';
import type { SourceFile } from '../../../../source/document.ts';
import { ObjectFacts } from '../../../registry/cluster/object-facts.ts';
import type { ConditionWords } from '../../condition.ts';
import type { ObjectReport } from '../../object-report.ts';
import { ObjectReporter } from '../../object-reporter.ts';
import { StandardMesh } from '../standard-mesh.ts';
import type { StandardStatus } from '../standard-status.ts';

interface GivenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A mesh of objects of an API server, which is compiled version after version. */
export class GivenMesh {
  readonly #fleet = newFleet();
  #version = 0;

  /** What is reported of each object of the Gateway API (YAML), by its kind and name. */
  async reports(yaml: string): Promise<ReadonlyMap<string, ObjectReport>> {
    const objects = parseAllDocuments(yaml).map((document) => document.toJS() as GivenObject);
    const facts = new ObjectFacts();
    const files = objects.map((object): SourceFile => {
      const { apiVersion, kind, metadata } = object;
      const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
      const path = `kubernetes/${group}/${kind}/${metadata.namespace}/${metadata.name}`;
      const file = { path, text: JSON.stringify(object) };
      const isNamespaced = metadata.namespace !== undefined;
      const type = { group, version, kind, resource: `${kind.toLowerCase()}s`, isNamespaced };
      if (group === 'gateway.networking.k8s.io') facts.put(file, type, { ...object, metadata });
      return file;
    });
    this.#version += 1;
    const { outcomes, diagnostics, snapshot } = await this.#fleet.take(files, `v${this.#version}`);
    const frozen = new Set([...outcomes].flatMap(([key, outcome]) => ('frozen' in outcome ? [key] : [])));
    const told = await new Promise<readonly ObjectReport[]>((resolve) => {
      const reporter = new ObjectReporter(facts, resolve);
      const mesh = snapshot && new StandardMesh(snapshot, frozen);
      reporter.decided({ files, diagnostics, versionOf: () => undefined, mesh });
    });
    return new Map(told.map((report) => [`${report.type.kind} ${report.name}`, report]));
  }

  /** The status that an object (`Kind name`) should have. */
  async statusOf(object: string, yaml: string): Promise<StandardStatus | undefined> {
    return (await this.reports(yaml)).get(object)?.verdict?.standard;
  }
}

/** Status and reason of each condition, by its type. */
export function wordsOf(conditions: readonly ConditionWords[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

/** The listeners of a status by name: numbers of routes, kinds and conditions. */
export function listenersOf({ listeners = [] }: StandardStatus = {}): Readonly<Record<string, object>> {
  return Object.fromEntries(
    listeners.map(({ name, attachedRoutes: routes, supportedKinds, conditions }) => [
      name,
      { routes, kinds: supportedKinds.map(({ kind }) => kind).join(), ...wordsOf(conditions) },
    ]),
  );
}

/** The conditions of each parent of a status, by its listener and port, or its name. */
export function parentsOf({ parents = [] }: StandardStatus = {}): Readonly<Record<string, object>> {
  return Object.fromEntries(
    parents.map(({ parentRef: { name, sectionName, port }, conditions }) => [
      [name, sectionName, port].filter((it) => it !== undefined).join(' '),
      wordsOf(conditions),
    ]),
  );
}
