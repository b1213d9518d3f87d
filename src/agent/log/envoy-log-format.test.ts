import { expect, test } from 'vitest';
import { envoyLogFormat } from './envoy-log-format.ts';

test.each([
  [false, true, '%Y-%m-%dT%T.%fZ\t%l\tenvoy %n\t%_'],
  [false, false, '%Y-%m-%dT%T.%f%z\t%l\tenvoy %n\t%_'],
  [true, true, '{"level":"%l","time":"%Y-%m-%dT%T.%fZ","scope":"envoy %n","msg":"%j"}'],
])("Envoy's lines are like the agent's (JSON: %s, UTC: %s)", (isJson, isUtc, expected) => {
  expect(envoyLogFormat(isJson, '{"admin":{}}', isUtc)).toBe(expected);
});

test.each(['"application_log_config": {}', 'applicationLogConfig:\n'])(
  'a bootstrap with %j keeps its own format',
  (text) => {
    expect(envoyLogFormat(false, text)).toBeUndefined();
  },
);
