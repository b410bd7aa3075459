const fs=require('fs');const p=JSON.parse(fs.readFileSync('package.json'));
const out={name:"countersign",version:"0.1.0",description:"A person between a LangGraph.js agent and the calls that cannot be undone: gated tools, policies against approval fatigue, a ledger of who allowed what.",keywords:["langgraph","langchain","agents","human-in-the-loop","approval","policy","audit"],license:"MIT",type:"module",engines:{node:">=20"},
exports:{".":{types:"./dist/src/index.d.ts",default:"./dist/src/index.js"},"./package.json":"./package.json"},
bin:{countersign:"./dist/src/cli/main.js"},
files:["dist/src","graphs","langgraph.json","docs","CHANGELOG.md"],
scripts:{build:"tsc -p tsconfig.build.json",prepare:"npm run build",start:"node dist/src/cli/main.js chat",test:"vitest run",typecheck:"tsc --noEmit",lint:"eslint . && dpdm --no-warning --no-tree --exit-code circular:1 -T 'src/**/*.ts'",format:"prettier --write .","format:check":"prettier --check ."},
dependencies:p.dependencies,devDependencies:p.devDependencies};
fs.writeFileSync('package.json',JSON.stringify(out,null,2)+"\n");
