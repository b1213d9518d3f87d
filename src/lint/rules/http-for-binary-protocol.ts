import type { Rule } from '../rule.ts';

/** Default ports of protocols that are not HTTP, with the words by which their services are named. */
const binary: readonly { readonly port: number; readonly name: string; readonly words: RegExp }[] = [
  { port: 1433, name: 'SQL Server', words: /mssql|sqlserver|sql-server/ },
  { port: 1883, name: 'MQTT', words: /mqtt|mosquitto|emqx/ },
  { port: 2181, name: 'ZooKeeper', words: /zookeeper|zk/ },
  { port: 3306, name: 'MySQL', words: /mysql|maria|percona/ },
  { port: 4222, name: 'NATS', words: /nats/ },
  { port: 5432, name: 'PostgreSQL', words: /postgres|pgsql|psql|timescale|cockroach|(^|-)pg(-|$)/ },
  { port: 5672, name: 'AMQP', words: /rabbit|amqp/ },
  { port: 6379, name: 'Redis', words: /redis|valkey|keydb/ },
  { port: 9042, name: 'Cassandra', words: /cassandra|scylla/ },
  { port: 9092, name: 'Kafka', words: /kafka|redpanda/ },
  { port: 11211, name: 'Memcached', words: /memcache/ },
  { port: 27017, name: 'MongoDB', words: /mongo/ },
];

/** The name of a port declares its protocol, and proxies believe it. */
export const rule: Rule = {
  code: 'http-for-binary-protocol',
  id: 'MP627',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['Service'],
  needs: 'topology',
  since: '0.1.0',
  title: 'a port of a database or a message broker, declared as HTTP',
  why: 'proxies read the bytes as HTTP requests, which they are not, and close the connections',
  hint: 'begin the name of the port with "tcp-", or write "appProtocol: tcp"',
  check({ snapshot, report }) {
    for (const { kind, object, name, ports } of snapshot.topology.services) {
      if (kind !== 'Service') continue;
      for (const [i, { number, protocol, name: portName }] of ports.entries()) {
        if (!['http', 'http2', 'grpc'].includes(protocol)) continue;
        const found = binary.find((it) => it.port === number && it.words.test(name));
        if (found === undefined) continue;
        const message = `port ${number} of "${name}" is declared as HTTP by "${portName}", and ${found.name} is usual there`;
        report({ object, path: ['spec', 'ports', i], message });
      }
    }
  },
};
