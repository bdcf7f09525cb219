// lines - node:test's report in the line form that tools/run_tests counts.
function reason(error) {
  const cause = error?.cause ?? error;
  return cause?.stack ?? String(cause);
}

export default async function* lines(source) {
  for await (const { type, data } of source) {
    if (type === 'test:pass' && data.details?.type !== 'suite')
      yield `[ RUN      ] ${data.name}\n[       OK ] ${data.name}\n`;
    else if (type === 'test:fail')
      yield `[ RUN      ] ${data.name}\n${reason(data.details.error)}\n[  FAILED  ] ${data.name}\n`;
    else if (type === 'test:stdout' || type === 'test:stderr')
      yield data.message;
  }
}
