import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { namespace, pod } from '../testing/objects.ts';
import { type Compiler, createCompiler } from './compile.ts';
import { parseUserBootstrap } from './render/user-bootstrap.ts';

const objects = [
  namespace('a', { 'mesh-injection': 'enabled' }),
  ...['a/one', 'a/two'].map((name, i) => pod({ name }, `10.1.0.${i + 1}`, { containers: [{ name: 'app' }] })),
];

/** Of both proxies, and what was said of them. */
function bootstrapsOf(compiler: Compiler) {
  const bag = new DiagnosticBag();
  const configs = compiler.compileObjects(objects, 'all', bag)?.configs ?? [];
  return { configs, texts: configs.map(({ bootstrap }) => bootstrap.text), codes: bag.all.map(({ code }) => code) };
}

function compilerWith(forgetsBootstraps: boolean, override = '{}'): Compiler {
  const bootstrap = parseUserBootstrap({ override: { path: 'o.json', text: override } }, new DiagnosticBag());
  return createCompiler({ settings: defaultSettings, delivery: 'ads', bootstrap, forgetsBootstraps });
}

describe('a compiler that forgets bootstraps', () => {
  test('gives those that another one gives, made anew where somebody asks', () => {
    const compiler = compilerWith(true);
    const { configs, texts } = bootstrapsOf(compiler);
    expect(texts).toEqual(bootstrapsOf(compilerWith(false)).texts);
    expect(new Set(texts).size).toBe(2);
    const [before, , after] = [configs[0], configs[1], configs[0]].map((config) => config?.bootstrap);
    expect(after).not.toBe(before);
    expect(after?.text).toBe(before?.text);
    expect(bootstrapsOf(compiler).texts).toEqual(texts);
  });

  test('reports the mistakes of a bootstrap in each run, as a compiler that keeps bootstraps does', () => {
    const faulty = '{"static_resources":{"clusters":[{"name":"BlackHoleCluster"}]}}';
    const compiler = compilerWith(true, faulty);
    const { codes } = bootstrapsOf(compilerWith(false, faulty));
    expect(codes).not.toEqual([]);
    expect([bootstrapsOf(compiler).codes, bootstrapsOf(compiler).codes]).toEqual([codes, codes]);
  });
});
