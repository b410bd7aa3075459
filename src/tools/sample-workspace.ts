import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

const FILES: Record<string, string> = {
  "README.md": `# A workspace to try things in

The agent works in this folder and nowhere else. Everything here was made up; delete what you like.

- notes/todo.md   a list that is still in use
- notes/old.md    a list that nobody needs any more
- data/shop.db    a small SQLite database with customers and orders
`,
  "notes/todo.md": `# To do

- [ ] Answer the customer about order 3
- [ ] Renew the certificate before the end of the month
- [x] Write down who is on call
`,
  "notes/old.md": `# Old list

- [x] Move to the new office
- [x] Return the rented printer
`,
};

const SHOP = `
  CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL);
  CREATE TABLE orders (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customers (id),
    item TEXT NOT NULL,
    amount REAL NOT NULL,
    status TEXT NOT NULL
  );
  INSERT INTO customers VALUES (1, 'Ada', 'London'), (2, 'Lin', 'Suzhou'), (3, 'Noor', 'Utrecht');
  INSERT INTO orders VALUES
    (1, 1, 'Kettle', 39.5, 'shipped'), (2, 2, 'Lamp', 24, 'shipped'),
    (3, 2, 'Desk', 310, 'open'), (4, 3, 'Chair', 120, 'open');
`;

/**
 * Makes a small workspace to try the agent in: two notes, a readme, a SQLite database.
 *
 * @param root the folder; when it exists, whatever it holds, nothing is done.
 * @returns whether it was made.
 */
export function seedWorkspace(root: string): boolean {
  if (existsSync(root)) return false;
  for (const folder of ["notes", "data"]) mkdirSync(join(root, folder), { recursive: true });
  for (const [path, content] of Object.entries(FILES)) writeFileSync(join(root, path), content);
  const database = new Database(join(root, "data", "shop.db"));
  try {
    database.exec(SHOP);
  } finally {
    database.close();
  }
  return true;
}
