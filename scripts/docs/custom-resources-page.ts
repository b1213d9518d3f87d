import { readFileSync } from 'node:fs';
import { defineKind } from '../../src/definitions/define-kind.ts';
import { definedKinds } from '../../src/definitions/defined-kinds.ts';
import type { StructuralSchema } from '../../src/definitions/structural-schema.ts';
import { code, table } from './markdown.ts';

const introduction = `# Custom resources

Written by \`make docs\` from \`src/definitions/\`, \`fixtures/server-checks.json\` and \`fixtures/beyond-one-object.json\`. On a Kubernetes API server, the
[kinds](kinds.md) of the mesh are custom resources. This page has their names, the columns that \`kubectl get\` prints, and what the
server checks before it stores an object.

## Installing

\`\`\`sh
meshd crds | kubectl apply -f -
\`\`\`

[meshd crds](meshd-crds.md) prints the CustomResourceDefinitions. The same command updates them after an update of \`meshd\`. They need
Kubernetes 1.29 or newer.

The server offers every kind in the versions \`v1\`, \`v1beta1\` and \`v1alpha3\`, which have the same fields. It stores objects as
\`v1\`; an object that was written in one version can be read in each. The definitions of Istio's API groups may be in the same cluster:
\`meshd\` reads the objects of both ([Coming from Istio](../guides/from-istio.md)). A short name such as \`vs\` then means the group that
is first in alphabetical order.

## Names and columns

\`kubectl get mesh -A\` lists the objects of all kinds, \`mesh-security\` and \`mesh-networking\` those of one group.
`;

const afterColumns = `
Every kind has these columns after its own:

| column | meaning |
|---|---|
| Accepted | \`True\`: the object is valid; \`False\`: it has errors, and its last valid version is active, if there is one |
| Distributed | \`True\`: every connected proxy has the active version |
| (Reason) | the reason of Accepted, in one word |
| (Proxies) | how many of the connected proxies have the active version, and which version that is |
| Age | time since the object was created |

Columns in parentheses are printed only by \`kubectl get -o wide\`. Lists and labels are printed as JSON. \`meshd\` fills Accepted,
Distributed, Reason and Proxies only with \`PILOT_ENABLE_STATUS=true\` ([status of objects](meshd-serve.md#status-of-objects)).

## What the server checks

The server refuses an object in these cases, and its error names the field:

- A field has the wrong type or a value that is not allowed, a number is out of its range, a text such as a host or a duration has
  the wrong form, or a required field is missing.
- A field of Istio is not supported here. The error says what to write instead.
- A field is unknown, and the client asks the server to check that. \`kubectl apply\` does, unless it gets \`--validate=false\`, and
  server-side apply always does. For other clients the server **drops the field** and sends a warning. If the definitions were
  printed with \`meshd crds --keep-unknown-fields\`, the server keeps the field, and \`meshd\` refuses the object.
- A name stands twice where each may stand only once: subsets of a DestinationRule, ports of a ServiceEntry, entries of \`exportTo\`.
- A rule of the table below is broken. These rules are part of the definitions, written in the Common Expression Language (CEL).

The server treats a selector (\`selector\`, \`workloadSelector\`) as one value, not as a map of labels. With server-side apply it therefore
belongs to one writer (field manager): a second writer that adds a label to it gets a conflict. If the server merged the labels of two
writers, the policy would apply to other workloads than either of them meant.
`;

const beforeBounds = `
An API server estimates the cost of such rules in advance, so these lists need a largest length. A longer list compiles, but the
server does not store it:
`;

const beforeLeft = `
## What is left to meshd

An object that the server has stored may still be invalid: the server can't compare objects with each other, and can't check
everything in one object. \`meshd\` checks all of it; if an object is invalid, its last valid version stays active. \`meshpol compile\` and \`meshpol lint\`
find the same errors before you apply the object. In a single object, the server doesn't find these errors, or not always:
`;

const beforeBeyond = `
The [validation webhook](meshd-serve.md#validation-of-objects) of \`meshd\` refuses an object that has one of these errors. The webhook gets one object at
a time and does not read the mesh configuration, so it can't find these errors, or not always. \`meshpol\` and \`meshd\` find them:
`;

/** Names, columns and checks of every kind that has a definition. */
export function customResourcesPage(): string {
  const schemas = definedKinds.map((defined) => ({ defined, rules: rulesOf(specOf(defined)) }));
  const names = definedKinds.map(({ kind, group, plural, shortNames, columns }) => [
    kind,
    code(`${plural}.${group}`),
    shortNames.map(code).join(', ') || '–',
    columns.map(({ name, priority }) => (priority === undefined ? name : `(${name})`)).join(', '),
  ]);
  const rules = schemas.flatMap(({ defined, rules }) =>
    rules.map(({ place, message }) => [defined.kind, code(place), message]),
  );
  const bounds = definedKinds.flatMap((defined) =>
    boundsOf(specOf(defined)).map(({ place, most }) => [defined.kind, code(place), most]),
  );
  return [
    introduction,
    table(['kind', 'name of the definition', 'short name', 'columns'], names),
    afterColumns,
    table(['kind', 'place', 'error'], rules),
    beforeBounds,
    table(['kind', 'list', 'at most'], bounds),
    beforeLeft,
    `${linksTo(leftCodes())}.`,
    beforeBeyond,
    table(['reason', 'error'], beyondOneObject()),
    '',
  ].join('\n');
}

function specOf(defined: (typeof definedKinds)[number]): StructuralSchema {
  return defineKind(defined).spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
}

/** Rules beside those about fields that are not supported, each where it stands first. */
function rulesOf(spec: StructuralSchema): { readonly place: string; readonly message: string }[] {
  const seen = new Set<string>();
  return placesOf(spec, 'spec').flatMap(([path, schema]) =>
    (schema['x-kubernetes-validations'] ?? []).flatMap(({ message, fieldPath = '' }) => {
      const key = `${path.split('.').at(-1)} ${message}`;
      if (message.startsWith('not supported') || seen.has(key)) return [];
      seen.add(key);
      return [{ place: `${path}${fieldPath}`, message }];
    }),
  );
}

function boundsOf(spec: StructuralSchema): { readonly place: string; readonly most: string }[] {
  return placesOf(spec, 'spec').flatMap(([place, schema]) => {
    const most = Number(schema.maxItems ?? schema.maxProperties ?? 1);
    return most > 16 ? [{ place, most: most.toLocaleString('en') }] : [];
  });
}

/** Every part of a schema with its path. */
function placesOf(schema: StructuralSchema, path: string): (readonly [string, StructuralSchema])[] {
  const { properties = {}, items, additionalProperties } = schema;
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, part]) => placesOf(part, `${path}.${name}`)),
    ...(items === undefined ? [] : placesOf(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : placesOf(additionalProperties, `${path}.<key>`)),
  ];
}

type Cases = Readonly<Record<string, readonly string[]>>;

function leftCodes(): readonly string[] {
  const { left } = JSON.parse(readFileSync('fixtures/server-checks.json', 'utf8')) as { readonly left: Cases };
  return codesIn(left);
}

function beyondOneObject(): readonly (readonly string[])[] {
  const reasons = JSON.parse(readFileSync('fixtures/beyond-one-object.json', 'utf8')) as Readonly<
    Record<string, Cases>
  >;
  return Object.entries(reasons).map(([reason, cases]) => [reason, linksTo(codesIn(cases))]);
}

function codesIn(cases: Cases): readonly string[] {
  return [...new Set(Object.values(cases).flat())].sort();
}

function linksTo(codes: readonly string[]): string {
  return codes.map((name) => `[${name}](diagnostics.md#${name})`).join(', ');
}
