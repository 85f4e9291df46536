package io.github.distlock.aop;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds beans of different classes that share a method without a key, because one class
 * inherits it from the other, or both inherit it. They would have the same lock, so that
 * a call of one bean excludes calls of the other. Their source does not show that. A bean
 * is never compared with itself.
 */
final class SharedKeys {

	/** The first bean with a lock without a key, by registry and key. */
	private final Map<String, User> users = new ConcurrentHashMap<>();

	/**
	 * Refuse a lock without a key that an earlier bean of another class has.
	 * @param beanName the bean
	 * @param declaration a method of the bean
	 * @throws io.github.distlock.LockDefinitionException if the bean would share the lock
	 */
	void check(String beanName, LockDeclaration declaration) {
		for (LockDefinition definition : declaration.locks()) {
			if (definition.key() instanceof KeySource.MethodKey key && !declaration.isInheritedFinal()) {
				check(new User(beanName, declaration.method().beanClass()), definition, key.text());
			}
		}
	}

	private void check(User user, LockDefinition definition, String key) {
		User first = this.users.putIfAbsent(definition.registry() + "|" + key, user);
		if (first == null || first.beanName().equals(user.beanName()) || first.identity() == user.identity()) {
			return;
		}
		LockedMethod method = definition.method();
		boolean distinct = GeneratedClass.userClass(first.beanClass()) != GeneratedClass.userClass(user.beanClass());
		throw method.refuse("has no key, so that " + first + " and " + user + " would share the lock '" + key
				+ "': a call of one bean would exclude calls of the other. "
				+ (distinct ? "If each class needs a lock of its own, write a key with the class, as in key = "
						+ "\"#root.targetClass.name + '#" + method.method().getName() + "'\". " : "")
				+ "If one lock is meant, write a fixed key, as in key = \"'" + method.label() + "'\"");
	}

	private record User(String beanName, Class<?> beanClass) {

		/**
		 * A generated subclass, such as that of a spy, counts as the class that it
		 * extends.
		 */
		Class<?> identity() {
			Class<?> userClass = GeneratedClass.userClass(this.beanClass);
			return (userClass != null && !userClass.isInterface()) ? userClass : this.beanClass;
		}

		@Override
		public String toString() {
			return "bean '" + this.beanName + "' (" + this.beanClass.getName() + ")";
		}

	}

}
