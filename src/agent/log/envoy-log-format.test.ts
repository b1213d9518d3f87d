import { expect, test } from 'vitest';
import { envoyLogFormat } from './envoy-log-format.ts';

test.each([
  [false, '%Y-%m-%dT%T.%fZ\t%l\tenvoy %n\t%_'],
  [true, '{"level":"%l","time":"%Y-%m-%dT%T.%fZ","scope":"envoy %n","msg":"%j"}'],
])("Envoy's lines are like the agent's (JSON: %s)", (isJson, expected) => {
  expect(envoyLogFormat(isJson, '{"admin":{}}')).toBe(expected);
});

test.each(['"application_log_config": {}', 'applicationLogConfig:\n'])(
  'a bootstrap with %j keeps its own format',
  (text) => {
    expect(envoyLogFormat(false, text)).toBeUndefined();
  },
);
