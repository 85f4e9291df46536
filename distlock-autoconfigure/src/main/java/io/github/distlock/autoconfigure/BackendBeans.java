package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.LockRegistry;
import io.github.distlock.backend.LockBackend;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.util.StringUtils;

/**
 * Finds the bean definitions of {@link LockBackend} and {@link LockRegistry}, of the
 * library and of the application, without creating a bean. Each context of a hierarchy
 * has its own beans of the library. The beans that the application defines in an ancestor
 * also serve its descendants.
 */
record BackendBeans(ConfigurableListableBeanFactory beanFactory) {

	/**
	 * Prefix of the names of all beans of the library: Spring Integration also has a
	 * {@code redisLockRegistry}.
	 */
	private static final String PREFIX = "distlock";

	private static final String BACKEND = "LockBackend";

	static String backendName(String store) {
		return name(store, BACKEND);
	}

	static String registryName(String store) {
		return name(store, "LockRegistry");
	}

	static String locationName(String store) {
		return name(store, "LockStoreLocation");
	}

	private static String name(String store, String kind) {
		return PREFIX + StringUtils.capitalize(store) + kind;
	}

	/**
	 * Return the name of the backend behind a bean: {@code etcd} for
	 * {@code etcdLockBackend}, {@code redis} for {@code distlockRedisLockBackend}.
	 */
	static String idOf(String backendName) {
		int end = backendName.length() - BACKEND.length();
		if (end <= 0 || !backendName.endsWith(BACKEND)) {
			return backendName;
		}
		boolean prefixed = backendName.startsWith(PREFIX) && end > PREFIX.length();
		return prefixed ? StringUtils.uncapitalize(backendName.substring(PREFIX.length(), end))
				: backendName.substring(0, end);
	}

	List<String> all() {
		List<String> local = List.of(this.beanFactory.getBeanNamesForType(LockBackend.class, true, false));
		return names(LockBackend.class).filter((name) -> local.contains(name) || !isOfTheLibrary(name)).toList();
	}

	private Stream<String> names(Class<?> type) {
		return Stream.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, type, true, false));
	}

	/**
	 * Return the {@link LockRegistry} beans that the library did not define, in any
	 * context of the hierarchy.
	 */
	List<String> registriesOfTheApplication() {
		return names(LockRegistry.class)
			.filter((name) -> definitions(name).map(BeanDefinition::getFactoryBeanName)
				.noneMatch(BackendRegistries.BEAN_NAME::equals))
			.toList();
	}

	/** Return the {@link LockBackend} beans that the library did not define. */
	List<String> ofTheApplication() {
		return all().stream().filter((name) -> !isOfTheLibrary(name)).toList();
	}

	/**
	 * Return the default one of several beans of the application.
	 */
	String primaryOf(List<String> names) {
		List<String> primary = (names.size() == 1) ? names : names.stream().filter(this::isPrimary).toList();
		if (primary.size() != 1) {
			throw new LockBackendMissingException(
					"There are " + names.size() + " LockBackend beans, and it is not clear which is the default: "
							+ String.join(", ", names) + ".",
					"Mark one of the beans with @Primary. Select the others with @DistributedLock(registry = "
							+ "\"...\") or a qualifier.");
		}
		return primary.get(0);
	}

	private boolean isPrimary(String name) {
		return definitions(name).anyMatch(BeanDefinition::isPrimary);
	}

	private boolean isOfTheLibrary(String name) {
		return definitions(name).map(BeanDefinition::getFactoryBeanName)
			.filter(Objects::nonNull)
			.flatMap(this::definitions)
			.anyMatch((definition) -> definition instanceof AnnotatedBeanDefinition annotated
					&& annotated.getMetadata().isAnnotated(ConditionalOnBackend.class.getName()));
	}

	/**
	 * Return the nearest definition of a name: descendants hide the definitions of
	 * ancestors.
	 */
	private Stream<BeanDefinition> definitions(String name) {
		return Stream.<ConfigurableListableBeanFactory>iterate(this.beanFactory, Objects::nonNull, BackendBeans::parent)
			.filter((factory) -> factory.containsLocalBean(name))
			.limit(1)
			.filter((factory) -> factory.containsBeanDefinition(name))
			.map((factory) -> factory.getBeanDefinition(name));
	}

	private static @Nullable ConfigurableListableBeanFactory parent(ConfigurableListableBeanFactory factory) {
		BeanFactory parent = factory.getParentBeanFactory();
		BeanFactory internal = (parent instanceof ApplicationContext context) ? context.getAutowireCapableBeanFactory()
				: parent;
		return (internal instanceof ConfigurableListableBeanFactory beans) ? beans : null;
	}

}
