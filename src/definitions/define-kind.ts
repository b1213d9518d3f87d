import type { Column, DefinedKind } from './defined-kinds.ts';
import { additions } from './kind-additions.ts';
import { statusSchema } from './status-schema.ts';
import { type StructuralSchema, structuralSchema } from './structural-schema.ts';

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced';
    readonly names: Readonly<Record<string, string | readonly string[]>>;
    readonly versions: readonly DefinedVersion[];
  };
}

interface DefinedVersion {
  readonly name: string;
  readonly served: true;
  readonly storage: boolean;
  readonly additionalPrinterColumns: readonly Column[];
  readonly subresources: { readonly status: object };
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
}

/** Versions of every kind, the newest first, which is stored. All have the same fields. */
export const definedVersions = ['v1', 'v1beta1', 'v1alpha3'] as const;

const stateColumns: readonly Column[] = [
  {
    ...{ name: 'Accepted', type: 'string', description: 'Whether the object as it is now is valid.' },
    jsonPath: '.status.conditions[?(@.type=="Accepted")].status',
  },
  {
    ...{ name: 'Distributed', type: 'string', description: 'Whether every proxy that it is for has it.' },
    jsonPath: '.status.conditions[?(@.type=="Distributed")].status',
  },
  {
    ...{ name: 'Reason', type: 'string', description: 'Why the object is accepted or not, in a word.', priority: 1 },
    jsonPath: '.status.conditions[?(@.type=="Accepted")].reason',
  },
  {
    ...{ name: 'Proxies', type: 'string', description: 'How many proxies have it, and which version.', priority: 1 },
    jsonPath: '.status.conditions[?(@.type=="Distributed")].message',
  },
];

const age: Column = {
  ...{ name: 'Age', type: 'date', description: 'Time since the object was created.' },
  jsonPath: '.metadata.creationTimestamp',
};

export interface DefineOptions {
  /** Another name for the kind's own group, such as Istio's. */
  readonly group?: string;
  /** Unknown fields are kept, for the control plane to refuse them; otherwise the server refuses or drops them. */
  readonly keepsUnknown?: boolean;
}

/** The CustomResourceDefinition of a kind. */
export function defineKind(defined: DefinedKind, options: DefineOptions = {}): CustomResourceDefinition {
  const { group = defined.group, keepsUnknown = false } = options;
  const { kind, plural, shortNames } = defined;
  const openAPIV3Schema = rootSchema(defined, keepsUnknown);
  const additionalPrinterColumns = [...defined.columns, ...stateColumns, age];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        ...{ kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        ...(shortNames.length > 0 && { shortNames }),
        categories: ['mesh', group.startsWith('security') ? 'mesh-security' : 'mesh-networking'],
      },
      versions: definedVersions.map((name) => ({
        ...{ name, served: true, storage: name === definedVersions[0], additionalPrinterColumns },
        ...{ subresources: { status: {} }, schema: { openAPIV3Schema } },
      })),
    },
  };
}

/** Names, labels and annotations are checked by the server itself. */
function rootSchema({ kind, schema }: DefinedKind, keepsUnknown: boolean): StructuralSchema {
  const { spec = {} } = schema.properties ?? {};
  const own = additions[kind] ?? {};
  return {
    ...(schema.description !== undefined && { description: schema.description }),
    type: 'object',
    properties: {
      ...(own.metadata?.schema !== undefined && { metadata: own.metadata.schema }),
      spec: structuralSchema(spec, 'spec', { root: schema, additions: own, keepsUnknown }),
      status: statusSchema,
    },
    required: ['spec'],
  };
}
