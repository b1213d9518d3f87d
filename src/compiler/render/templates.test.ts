import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { lineAndColumn, lineStarts } from '../../diagnostics/span.ts';
import { sampleProxy } from '../../testing/sample-proxy.ts';
import { verify } from '../verify/verify.ts';
import { createRenderer } from './render.ts';
import type { EnvoyConfig } from './resource.ts';
import type { TemplateFile } from './template-file.ts';
import { loadTemplates } from './templates.ts';

/** Diagnostics of compiling the sample with these templates, as `code file:line:column`. */
async function outcome(
  files: Readonly<Record<string, string>>,
  isYaml = false,
): Promise<{ lines: string[]; config?: EnvoyConfig }> {
  const bag = new DiagnosticBag();
  const list: TemplateFile[] = Object.entries(files).map(([name, text]) => ({
    name,
    path: `mine/${name}`,
    text,
    isYaml,
  }));
  const templates = await loadTemplates(list, bag);
  const proxy = sampleProxy();
  const config = templates && createRenderer({ templates }).render(proxy, bag);
  if (config !== undefined) verify(proxy, config, bag);
  const lines = bag.all.map(({ code, span }) => {
    const text = list.find(({ path }) => path === span?.file)?.text;
    if (span === undefined || text === undefined) return `${code} ${span?.file ?? ''}`;
    const { line, column } = lineAndColumn(lineStarts(text), span.start);
    return `${code} ${span.file}:${line}:${column}`;
  });
  return { lines: [...new Set(lines)], ...(config === undefined ? {} : { config }) };
}

const tcpProxy = (cluster: string): string => `{
  "name": "envoy.filters.network.tcp_proxy",
  "typed_config": {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
    "stat_prefix": {{json statPrefix}},
    "idle_timeout": "7s",
    "cluster": ${cluster}
  }
}
`;

describe('loadTemplates', () => {
  test('puts a template of the user in place of ours', async () => {
    const { lines, config } = await outcome({ 'partials/tcp-proxy.hbs': tcpProxy('{{json cluster}}') });
    expect(lines).toEqual([]);
    expect(config?.listeners.find(({ name }) => name === 'virtualInbound')?.text).toContain('"idle_timeout": "7s"');
  });

  test('refuses a template that takes a rule away, at the line that does', async () => {
    const { lines } = await outcome({ 'partials/tcp-proxy.hbs': tcpProxy('"PassthroughCluster"') });
    expect(lines).toEqual(['template-lost-rule mine/partials/tcp-proxy.hbs:7:5']);
  });

  test('refuses a template whose filter chains carry no TLS context', async () => {
    const chain = `{
  "name": {{json name}},
  "filter_chain_match": {{json match}},
  "filters": [{{#each filters}}
    {{#if http}}{{> http-connection-manager http}}{{/if}}{{#if tcp}}{{> tcp-proxy tcp}}{{/if}}
  {{/each}}]
}`;
    const { lines } = await outcome({ 'partials/filter-chain.hbs': chain });
    expect(lines).toEqual([expect.stringMatching(/^template-lost-rule mine\/partials\/filter-chain\.hbs:/)]);
  });

  test('reports a violation of the API of Envoy at the line of the template that wrote it', async () => {
    const text = tcpProxy('{{json cluster}}').replace('"7s"', '"7 seconds"');
    const { lines } = await outcome({ 'partials/tcp-proxy.hbs': text });
    expect(lines).toEqual(['output-invalid mine/partials/tcp-proxy.hbs:6:5']);
  });

  test.each([
    ['a missing brace', 'template-syntax', { 'routes.json.hbs': '{\n  "name": {{json name}\n}' }, '2:3'],
    ['an unclosed block', 'template-syntax', { 'routes.json.hbs': '{\n{{#if name}}\n}' }, '3:1'],
    ['an unknown file', 'template-unknown-name', { 'route.json.hbs': '{}' }, '1:1'],
    ['an unknown partial', 'template-unknown-partial', { 'routes.json.hbs': '{\n {{> nope}} }' }, '2:2'],
    [
      'a partial in a circle',
      'template-recursive',
      { 'partials/a.hbs': '{{> b}}', 'partials/b.hbs': '{{> a}}' },
      '1:1',
    ],
    ['text without json', 'template-forbidden', { 'routes.json.hbs': '{"name": "{{name}}"}' }, '1:11'],
    ['another helper', 'template-forbidden', { 'routes.json.hbs': '{"name": {{lookup this "name"}} }' }, '1:10'],
    ['another block', 'template-forbidden', { 'routes.json.hbs': '{{#foo x}}{{/foo}}' }, '1:1'],
    ['a decorator', 'template-forbidden', { 'routes.json.hbs': '{{#*inline "x"}}{{/inline}}' }, '1:1'],
    ['a computed partial', 'template-forbidden', { 'routes.json.hbs': '{{> (lookup . "x")}}' }, '1:1'],
    ['a literal', 'template-forbidden', { 'routes.json.hbs': '{"name": {{json "x"}} }' }, '1:10'],
    ['a misspelt value', 'template-value-missing', { 'routes.json.hbs': '{\n  "name": {{json nmae}}\n}' }, '2:11'],
    [
      'a value of the prototype',
      'template-value-missing',
      { 'routes.json.hbs': '{"name": {{json toString}} }' },
      '1:10',
    ],
    [
      'a misspelt value of a condition',
      'template-unknown-value',
      { 'routes.json.hbs': '{\n  {{#if nmae}}"name": {{json name}}{{/if}}\n}' },
      '2:9',
    ],
    [
      'a misspelt list',
      'template-unknown-value',
      { 'partials/rbac-rules.hbs': '{ {{#each policy}}{{json name}}: 1{{/each}} }' },
      '1:11',
    ],
    [
      'a misspelt value of an item',
      'template-unknown-value',
      { 'listeners.json.hbs': '{ {{#each filterChains}}{{#unless rules}}{{/unless}}{{/each}} }' },
      '1:35',
    ],
    [
      'a misspelt context of a partial',
      'template-unknown-value',
      { 'listeners.json.hbs': '{"address": {{> socket-address adress}} }' },
      '1:32',
    ],
    [
      'a misspelt value of the whole view',
      'template-unknown-value',
      { 'routes.json.hbs': '{ {{#if @root.nmae}}{{/if}} }' },
      '1:9',
    ],
    [
      'a misspelt value of the loop',
      'template-unknown-value',
      { 'routes.json.hbs': '{ {{#each virtualHosts}}{{#if @frist}}{{/if}}{{/each}} }' },
      '1:31',
    ],
    [
      'a condition on a value of the prototype',
      'template-unknown-value',
      { 'routes.json.hbs': '{ {{#if constructor}}{{/if}} }' },
      '1:9',
    ],
    [
      'a value that the view has not, in a partial that the user added',
      'template-unknown-value',
      { 'routes.json.hbs': '{ {{> mine}} }', 'partials/mine.hbs': '{{#if virtualHost}}{{/if}}' },
      '1:7',
    ],
    ['a trailing comma', 'template-not-json', { 'routes.json.hbs': '{\n  "name": {{json name}},\n}' }, '3:1'],
    ['no end', 'template-not-json', { 'routes.json.hbs': '{\n  "name": {{json name}}\n' }, '3:1'],
    ['a key twice', 'template-not-json', { 'routes.json.hbs': '{"name": "",\n  "name": {{json name}}\n}' }, '2:3'],
    ['a list', 'template-not-json', { 'routes.json.hbs': '[\n{{json name}}]' }, '2:1'],
  ])('refuses %s', async (_, code, files, at) => {
    const { lines, config } = await outcome(files);
    expect(lines[0]).toMatch(new RegExp(`^${code} mine/\\S+:${at}$`));
    expect(config).toBeUndefined();
  });

  test('refuses a built-in partial with a context that is not its own', async () => {
    const { lines } = await outcome({ 'routes.json.hbs': '{"name": {{> socket-address name}} }' });
    expect(lines).toEqual(['template-value-missing mine/routes.json.hbs:1:1']);
  });

  const yaml = `
node: {id: {{json nodeId}}, cluster: {{json serviceCluster}}, metadata: {{json metadata}} }
dynamic_resources:
  lds_config:
    path_config_source: {path: {{json listenersSource.path}} }
  cds_config:
    path_config_source: {path: {{json clustersSource.path}} }
static_resources:
  clusters:
  {{#each staticClusters}}
  - name: {{json name}}
  {{/each}}
  - name: sds-grpc
  - name: mine
    alt_stat_name: x # a comment
`;

  test('reads what a YAML template makes', async () => {
    const { lines, config } = await outcome({ 'bootstrap.json.hbs': yaml }, true);
    expect(lines).toEqual([]);
    expect(config?.bootstrap.json).toMatchObject({
      node: { cluster: 'web.a' },
      static_resources: { clusters: [{ name: 'agent' }, { name: 'prometheus_stats' }, {}, { alt_stat_name: 'x' }] },
    });
  });

  test.each([
    ['is no YAML', yaml.replace('- name: mine', '- {name: mine'), 'template-not-json', /:1[456]:/],
    ['is empty', '# {{json nodeId}}\n', 'template-not-json', /:1:1$/],
    ['has two documents', `${yaml}---\na: b\n`, 'template-not-json', /:1[67]:/],
    ['is not what Envoy takes', yaml.replace('alt_stat_name', 'alt_name'), 'output-invalid', /:15:5$/],
    ['reads no listeners', yaml.replace('lds_config', 'xds_config'), 'output-invalid', /:4:3$/],
  ])('refuses a YAML template that %s', async (_, text, code, place) => {
    const { lines } = await outcome({ 'bootstrap.json.hbs': text }, true);
    expect(lines[0]).toMatch(new RegExp(`^${code} mine/bootstrap`));
    expect(lines[0]).toMatch(place);
  });

  test('refuses a bootstrap that does not read the listeners', async () => {
    const bootstrap = '{"node": {"id": {{json nodeId}}, "cluster": {{json serviceCluster}} } }';
    const { lines } = await outcome({ 'bootstrap.json.hbs': bootstrap });
    expect(lines).toContain('template-lost-rule mine/bootstrap.json.hbs:1:1');
  });
});

test('the shipped templates only place: they leave out what is absent, and choose between no two forms', () => {
  const folder = path.resolve(import.meta.dirname, '../../../templates');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.hbs'));
  const choices = names.flatMap((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    return [...text.matchAll(/\{\{#unless (?!@first\}\}).*?\}\}|\{\{else.*?\}\}/g)].map(([tag]) => `${name}: ${tag}`);
  });
  expect(names.length).toBeGreaterThan(20);
  expect(choices).toEqual([]);
});
