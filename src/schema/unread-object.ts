import { valueAt } from '../lib/value-at.ts';
import { notYetCreated } from '../policy/object.ts';
import type { ContainerSpec } from '../policy/topology-kinds.ts';
import { templatePath, type UnreadObject } from '../policy/unread-object.ts';
import type { JsonObject, JsonValue, PolicyDocument } from '../source/document.ts';
import { isForeign, splitApiVersion } from './dispatch.ts';
import { mayHavePodsMade } from './pod-makers.ts';
import { resolveTemplateAliases } from './resolve-aliases.ts';

/**
 * What a document of a kind that is not read tells of a mesh; undefined for other documents, and for what is no object of a
 * cluster. Of such a document nothing but the syntax was checked, so what is not as expected counts as not there.
 */
export function unreadObject(document: PolicyDocument): UnreadObject | undefined {
  const { apiVersion, kind } = document.value;
  const name = valueAt(document.value, ['metadata', 'name']);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const [group] = splitApiVersion(apiVersion);
  if (!isForeign(group, kind)) return undefined;
  const path = templatePath(kind);
  const resolved = resolveTemplateAliases(document, path);
  const namespace = textAt(resolved.value, ['metadata', 'namespace']) ?? 'default';
  const mayFill = mayHavePodsMade(group, kind) ? [namespace, ...namedNamespaces(document.value.spec)] : [];
  return {
    ...{ kind, name, namespace, mayFill: [...new Set(mayFill)] },
    createdAt: notYetCreated,
    labels: textsAt(resolved.value, ['metadata', 'labels']),
    annotations: textsAt(resolved.value, ['metadata', 'annotations']),
    document: resolved,
    template: isControlled(document.value) ? undefined : templateOf(resolved.value, path),
  };
}

/** The pods of a ReplicaSet are known by its Deployment. */
function isControlled(value: JsonObject): boolean {
  const owners = valueAt(value, ['metadata', 'ownerReferences']);
  return Array.isArray(owners) && owners.length > 0;
}

function templateOf(value: JsonObject, path: readonly string[]): UnreadObject['template'] {
  const containers = valueAt(value, [...path, 'spec', 'containers']);
  if (!Array.isArray(containers) || containers.length === 0) return undefined;
  const spec = [...path, 'spec'];
  const account = textAt(value, [...spec, 'serviceAccountName']) || textAt(value, [...spec, 'serviceAccount']);
  return {
    metadata: {
      labels: textsAt(value, [...path, 'metadata', 'labels']),
      annotations: textsAt(value, [...path, 'metadata', 'annotations']),
    },
    spec: {
      containers: containers.filter(isObject).map(containerOf),
      ...(account !== undefined && { serviceAccountName: account }),
      ...(valueAt(value, [...spec, 'hostNetwork']) === true && { hostNetwork: true }),
    },
  };
}

function containerOf(container: JsonObject): ContainerSpec {
  const image = textAt(container, ['image']);
  const ports = (Array.isArray(container.ports) ? (container.ports as readonly JsonValue[]) : []).flatMap((port) => {
    const { name, containerPort } = isObject(port) ? port : {};
    return typeof name === 'string' && typeof containerPort === 'number' ? [{ name, containerPort }] : [];
  });
  return { name: textAt(container, ['name']) ?? '', ports, ...(image !== undefined && { image }) };
}

/** So deep objects name the namespaces that they write to: releases, applications, gateways of an installation. */
const deepest = 5;

function namedNamespaces(value: JsonValue | undefined, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item) => namedNamespaces(item, depth + 1));
  return Object.entries(value as JsonObject).flatMap(([key, inner]) =>
    (key === 'namespace' || key === 'targetNamespace') && typeof inner === 'string'
      ? [inner]
      : namedNamespaces(inner, depth + 1),
  );
}

function textAt(value: JsonObject, path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function textsAt(value: JsonObject, path: readonly string[]): Readonly<Record<string, string>> {
  const found = valueAt(value, path);
  if (!isObject(found)) return {};
  return Object.fromEntries(
    Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
