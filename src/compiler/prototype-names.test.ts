import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { format } from '../diagnostics/format.ts';
import { createCompiler } from './compile.ts';

/** Names that every object of JavaScript has. */
const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__', 'isPrototypeOf'];

/** Places in which a user may write any word. */
const places: Readonly<Record<string, (name: string) => string>> = {
  'a kind': (name) => `apiVersion: v1\nkind: ${name}\nmetadata: {name: a}`,
  'a kind of our group': (name) => `apiVersion: security.mesh.io/v1\nkind: ${name}\nmetadata: {name: a}`,
  'a group': (name) => `apiVersion: ${name}/v1\nkind: Thing\nmetadata: {name: a}`,
  'a field': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: a}\nspec: {"${name}": 1}`,
  'a label': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: a}\nspec: {selector: {matchLabels: {"${name}": a}}}`,
  'an annotation': (name) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {"${name}": a}}\nspec: {containers: []}`,
  'an annotation of capture': (name) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {sidecar.mesh.io/inject: "true"}, annotations: {"traffic.sidecar.mesh.io/${name}": a}}\nspec: {containers: []}`,
  'a port': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: a}}, portLevelMtls: {"${name}": {mode: STRICT}}}`,
  'a subset': (name) =>
    `apiVersion: networking.mesh.io/v1alpha3\nkind: DestinationRule\nmetadata: {name: a}\nspec: {host: a, subsets: [{name: "${name}", labels: {"${name}": a}}]}`,
  'a header of a route': (name) =>
    `apiVersion: networking.mesh.io/v1alpha3\nkind: VirtualService\nmetadata: {name: a}\nspec: {hosts: [a], http: [{match: [{headers: {"${name}": {exact: a}}}], route: [{destination: {host: "${name}"}}]}]}`,
  'a provider': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {action: CUSTOM, provider: {name: "${name}"}, rules: [{}]}`,
  'a claim': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {rules: [{when: [{key: "request.auth.claims[${name}]", values: [a]}]}]}`,
  'a protocol of a port': (name) =>
    `apiVersion: networking.mesh.io/v1alpha3\nkind: Gateway\nmetadata: {name: a}\nspec: {selector: {a: a}, servers: [{port: {number: 80, name: "${name}", protocol: "${name}"}, hosts: ["*"]}]}`,
  'a mode': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: a}\nspec: {mtls: {mode: ${name}}}`,
  'a condition': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {action: DENY, rules: [{when: [{key: "${name}", values: [a]}]}]}`,
  'a header of a condition': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {action: DENY, rules: [{when: [{key: "request.headers[${name}]", values: [a]}]}]}`,
  'a method': (name) =>
    `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a}\nspec: {action: DENY, rules: [{to: [{operation: {methods: ["${name}"]}}]}]}`,
  'a name of a namespace': (name) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: "${name}"}\nspec: {containers: []}`,
};

describe.each(Object.entries(places))('%s', (_, documentWith) => {
  test.each(names)('may be "%s": that is a name like any other', (name) => {
    const bag = new DiagnosticBag();
    const files = [{ path: 'a.yaml', text: documentWith(name) }];
    createCompiler({ settings: defaultSettings }).compile(files, 'all', bag);
    expect(format(bag.all, files, 'text')).not.toContain('[native code]');
  });
});
