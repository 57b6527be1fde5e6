# SPDX-License-Identifier: MIT
"""What was tried, in a file: nothing is tried again for nothing, and who killed goes first."""
import json
import os


class Tried:
    """One line for each answer: mutant and source, the version of the tests, who noticed."""

    def __init__(self, path):
        self.path = path
        self.answers = {}
        self.kills = {}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                for line in file:
                    name, version, by = line.rstrip('\n').split('\t')
                    self.keep(name, version, json.loads(by))

    def keep(self, name, version, by):
        self.answers[name] = (version, by)
        if by:
            count = self.kills.setdefault(name.split()[0], {})
            count[by] = count.get(by, 0) + 1

    def add(self, name, version, by):
        """A new answer."""
        self.keep(name, version, by)
        with open(self.path, 'a', encoding='utf-8') as file:
            file.write(f'{name}\t{version}\t{json.dumps(by)}\n')

    def known(self, name, tests, version):
        """Return: whether there is an answer that holds, and the answer. Who killed a mutant does
        so still if it did not change; what survived must have been seen by all of these tests."""
        if name not in self.answers:
            return False, None
        old, by = self.answers[name]
        if by is None:
            return True, None
        if by and by not in tests:
            return False, None
        return old == version([by] if by else tests), by

    def order(self, path, tests, seconds):
        """All of the tests, those that killed most mutants of a file for their time first. One
        that killed none yet counts a little, the more the earlier the area lists it."""
        kills = self.kills.get(path, {})

        def worth(test):
            return (kills.get(test, 0) + 1 / (2 + tests.index(test))) / (0.02 + seconds[test])
        return sorted(tests, key=worth, reverse=True)
