package io.github.distlock.structure;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The references between the top-level types of each package, as the sources name them.
 * References of a nested type count for its enclosing type.
 */
final class ClassGraph {

	private final Map<String, Set<String>> arrows = new TreeMap<>();

	ClassGraph(List<SourceFile> files) {
		Set<String> types = files.stream().map(SourceFile::typeName).collect(Collectors.toSet());
		for (SourceFile file : files) {
			this.arrows.put(file.typeName(),
					file.names()
						.stream()
						.map((name) -> file.packageName() + "." + name)
						.filter((name) -> types.contains(name) && !name.equals(file.typeName()))
						.collect(Collectors.toCollection(TreeSet::new)));
		}
	}

	/**
	 * The cycles, the largest first: maximal sets of types in which each type reaches
	 * each other one.
	 */
	List<Set<String>> cycles() {
		Map<String, Set<String>> reached = new HashMap<>();
		this.arrows.keySet().forEach((type) -> reached.put(type, reachedFrom(type)));
		List<Set<String>> cycles = new ArrayList<>();
		Set<String> seen = new LinkedHashSet<>();
		for (String type : this.arrows.keySet()) {
			Set<String> cycle = new TreeSet<>();
			reached.getOrDefault(type, Set.of())
				.stream()
				.filter((other) -> reached.getOrDefault(other, Set.of()).contains(type))
				.forEach(cycle::add);
			if (cycle.size() > 1 && seen.addAll(cycle)) {
				cycles.add(cycle);
			}
		}
		cycles.sort(Comparator.comparing((Set<String> cycle) -> -cycle.size()));
		return cycles;
	}

	private Set<String> reachedFrom(String type) {
		Set<String> reached = new LinkedHashSet<>();
		Deque<String> open = new ArrayDeque<>(this.arrows.getOrDefault(type, Set.of()));
		while (!open.isEmpty()) {
			String next = open.pop();
			if (reached.add(next)) {
				open.addAll(this.arrows.getOrDefault(next, Set.of()));
			}
		}
		return reached;
	}

}
