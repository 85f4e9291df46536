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

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;

/**
 * The references between the top-level types of each package. References of a nested type
 * count for its enclosing type.
 */
final class ClassGraph {

	private final Map<String, Set<String>> arrows = new TreeMap<>();

	ClassGraph(Iterable<JavaClass> classes) {
		for (JavaClass type : classes) {
			Set<String> targets = this.arrows.computeIfAbsent(topLevel(type), (name) -> new TreeSet<>());
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (target.getPackageName().equals(type.getPackageName()) && !topLevel(target).equals(topLevel(type))) {
					targets.add(topLevel(target));
				}
			}
		}
	}

	/** The number of references inside each package, by package. */
	Map<String, Integer> arrowsByPackage() {
		Map<String, Integer> result = new TreeMap<>();
		this.arrows.forEach((type, targets) -> result.merge(type.substring(0, type.lastIndexOf('.')), targets.size(),
				Integer::sum));
		return result;
	}

	/**
	 * The cycles: maximal sets of types in which each type reaches each other one.
	 * @return the sets of at least two types, the largest first
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

	static String topLevel(JavaClass type) {
		String name = type.getName();
		int nested = name.indexOf('$');
		return (nested > 0) ? name.substring(0, nested) : name;
	}

}
