import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { logLevels, logScopes } from '../../agent/log/scope.ts';
import { parseCallers, parseLevels } from './log-levels.ts';
import { openLog } from './log-options.ts';

describe('parseLevels', () => {
  const read = (text: string): string =>
    [...parseLevels(text, '--log_output_level', 'info')]
      .filter(([, level]) => level !== 'info')
      .map(([scope, level]) => `${scope}:${level}`)
      .join(' ');

  test.each([
    ['default:info', ''],
    ['debug', 'default:debug'],
    ['default:warn,default:none', 'default:none'],
    ['sds:debug,error', 'default:error sds:debug'],
    ['model:fatal,validation:warn', 'model:fatal validation:warn'],
    ['sds:debug,all:info,model:none', ''],
  ])('reads %j', (text, levels) => {
    expect(read(text)).toBe(levels);
  });

  test('gives every scope a level with "all"', () => {
    expect(read('all:error').split(' ')).toHaveLength(logScopes.length);
  });

  test.each([
    ['', /unknown level "" \(debug, info, warn, error, fatal, none\)/],
    ['default:info,', /unknown level ""/],
    ['sds:loud', /unknown level "loud"/],
    ['sds:debugg', /unknown level "debugg", did you mean "debug"\?/],
    ['a:b:c', /"a:b:c" is no scope:level/],
    ['nosuch:debug', /--log_output_level: unknown scope "nosuch" \(all, authorization, cache, .*vault\)/],
    ['cacheclient:debug', /unknown scope "cacheclient", did you mean "caclient"\?/],
    ['all:info,nosuch:debug', /unknown scope "nosuch"/],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe('parseCallers', () => {
  test.each([
    ['', []],
    ['sds,default', ['sds', 'default']],
    ['model,all', logScopes],
  ])('reads %j', (text, scopes) => {
    expect([...parseCallers(text, '--log_caller')].sort()).toEqual([...scopes].sort());
  });

  test.each(['nosuch', 'sds,', 'sds:debug'])('refuses %j', (text) => {
    expect(() => parseCallers(text, '--log_caller')).toThrow(/--log_caller: unknown scope/);
  });
});

describe('openLog', () => {
  test.each(['http://collector/log', 'file://host/a.log', 'file:///a.log?x', 'file:///a.log#x', 'C:a.log', ''])(
    'refuses the target %j',
    (target) => {
      expect(() => openLog({ log_output_level: 'info', log_target: [target] })).toThrow(/--log_target: /);
    },
  );

  test('writes to a path, to a file: URL and to the rotated file, with the options of each scope', () => {
    const folder = mkdtempSync(join(tmpdir(), 'open-log-'));
    const [a, b, c] = ['a.log', 'with space.log', 'c.log'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const { log } = openLog({
      log_output_level: 'default:warn,sds:debug',
      log_caller: 'sds',
      log_target: [a, pathToFileURL(b).href],
      log_rotate: c,
    });
    log.info('hidden');
    log.scope('sds').debug('one');
    log.scope('model').info('two');
    const texts = [a, b, c].map((path) => readFileSync(path, 'utf8'));
    rmSync(folder, { recursive: true });
    expect(texts[0]).toMatch(/^\S+Z\tdebug\tsds\tagent\/log-options\.test\.ts:\d+\tone\n\S+Z\tinfo\tmodel\ttwo\n$/);
    expect(texts).toEqual([texts[0], texts[0], texts[0]]);
  });
});

test('docs/reference/logging.md describes every scope and level', () => {
  const page = readFileSync('docs/reference/logging.md', 'utf8');
  expect([...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, scope]) => scope)).toEqual(logScopes);
  expect(page).toContain(
    `from the most verbose: ${[...logLevels]
      .reverse()
      .map((level) => `\`${level}\``)
      .join(', ')}`,
  );
});
