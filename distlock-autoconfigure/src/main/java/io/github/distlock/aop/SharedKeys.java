package io.github.distlock.aop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.github.distlock.LockDefinitionException;

/**
 * Finds beans of different classes that share a method without a key, because one class
 * inherits it from the other, or both inherit it. They would have the same lock, so that
 * a call of one bean excludes calls of the other. Their source does not show that. A bean
 * is never compared with itself.
 */
final class SharedKeys {

	private final ReentrantLock lock = new ReentrantLock();

	/** By registry and key, then by bean class. Guarded by {@link #lock}. */
	private final Map<String, Map<Class<?>, User>> users = new LinkedHashMap<>();

	/**
	 * Add the locks of a bean.
	 * @param beanName the bean
	 * @param definitions the definitions of its methods
	 */
	void add(String beanName, Collection<LockDefinition> definitions) {
		this.lock.lock();
		try {
			for (LockDefinition definition : definitions) {
				if (definition.key() instanceof KeySource.MethodKey key
						&& !definition.declaration().isInheritedFinal()) {
					this.users.computeIfAbsent(id(definition, key), (first) -> new LinkedHashMap<>())
						.putIfAbsent(identity(definition), new User(beanName, definition, key.text()));
				}
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Refuse a bean that would share a lock with a bean that was added. Does not add it.
	 * @param beanName the bean
	 * @param definitions the definitions of its methods
	 * @throws LockDefinitionException if the bean would share a lock
	 */
	void check(String beanName, Collection<LockDefinition> definitions) {
		List<Pair> shared = new ArrayList<>();
		this.lock.lock();
		try {
			for (LockDefinition definition : definitions) {
				if (definition.key() instanceof KeySource.MethodKey key
						&& !definition.declaration().isInheritedFinal()) {
					User other = new User(beanName, definition, key.text());
					this.users.getOrDefault(id(definition, key), Map.of())
						.entrySet()
						.stream()
						.filter((entry) -> entry.getKey() != identity(definition)
								&& !entry.getValue().beanName().equals(beanName))
						.findFirst()
						.ifPresent((entry) -> shared.add(new Pair(entry.getValue(), other)));
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		if (!shared.isEmpty()) {
			throw problem(shared);
		}
	}

	private static String id(LockDefinition definition, KeySource.MethodKey key) {
		return definition.registry() + "|" + key.text();
	}

	/**
	 * A generated subclass, such as that of a spy, counts as the class that it extends.
	 */
	private static Class<?> identity(LockDefinition definition) {
		Class<?> beanClass = definition.method().beanClass();
		Class<?> userClass = GeneratedClass.userClass(beanClass);
		return (userClass != null && !userClass.isInterface()) ? userClass : beanClass;
	}

	/**
	 * Report each pair of beans once, with all locks that the beans would share.
	 * @param problems receives the name of a bean and its problem
	 */
	void report(BiConsumer<String, LockDefinitionException> problems) {
		Map<String, List<Pair>> shared = new LinkedHashMap<>();
		this.lock.lock();
		try {
			for (Map<Class<?>, User> found : this.users.values()) {
				List<User> all = List.copyOf(found.values());
				for (User other : all.subList(1, all.size())) {
					Pair pair = new Pair(all.get(0), other);
					if (!pair.isOneBean()) {
						shared.computeIfAbsent(pair.names(), (names) -> new ArrayList<>()).add(pair);
					}
				}
			}
		}
		finally {
			this.lock.unlock();
		}
		shared.values().forEach((pairs) -> problems.accept(pairs.get(0).other().beanName(), problem(pairs)));
	}

	private static LockDefinitionException problem(List<Pair> pairs) {
		User first = pairs.get(0).first();
		User other = pairs.get(0).other();
		LockedMethod method = other.definition().method();
		String keys = pairs.stream().map((pair) -> "'" + pair.other().key() + "'").collect(Collectors.joining(", "));
		boolean distinct = GeneratedClass.userClass(first.beanClass()) != GeneratedClass.userClass(other.beanClass());
		return method.refuse("has no key, so that " + first + " and " + other + " would share the lock " + keys
				+ ": a call of one bean would exclude calls of the other. "
				+ (distinct ? "If each class needs a lock of its own, write a key with the class, as in key = "
						+ "\"#root.targetClass.name + '#" + method.method().getName() + "'\". " : "")
				+ "If one lock is meant, write a fixed key, as in key = \"'" + method.label() + "'\"");
	}

	private record User(String beanName, LockDefinition definition, String key) {

		Class<?> beanClass() {
			return this.definition.method().beanClass();
		}

		@Override
		public String toString() {
			return "bean '" + this.beanName + "' (" + beanClass().getName() + ")";
		}

	}

	private record Pair(User first, User other) {

		/** Whether objects of one bean, such as a prototype, have different classes. */
		boolean isOneBean() {
			return this.first.beanName().equals(this.other.beanName());
		}

		String names() {
			return this.first.beanName() + "|" + this.other.beanName();
		}

	}

}
