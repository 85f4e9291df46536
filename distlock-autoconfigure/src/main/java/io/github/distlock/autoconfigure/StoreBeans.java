package io.github.distlock.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.distlock.backend.LockBackend;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The {@link LockBackend} beans that are defined, ours and the application's. Creates
 * none.
 */
record StoreBeans(ConfigurableListableBeanFactory beanFactory) {

	private static final String BACKEND = "LockBackend";

	private static final String REGISTRY = "LockRegistry";

	private static final String LOCATION = "LockStoreLocation";

	static String backendName(String store) {
		return store + BACKEND;
	}

	static String registryName(String store) {
		return store + REGISTRY;
	}

	static String locationName(String store) {
		return store + LOCATION;
	}

	/**
	 * The name of the store behind a bean: {@code etcd} for {@code etcdLockBackend}.
	 */
	static String store(String backendName) {
		return (backendName.length() > BACKEND.length() && backendName.endsWith(BACKEND))
				? backendName.substring(0, backendName.length() - BACKEND.length()) : backendName;
	}

	List<String> all() {
		return List
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockBackend.class, true, false));
	}

	/** Those that none of our configurations made. */
	List<String> ofTheApplication() {
		return all().stream().filter((name) -> !isOurs(name)).toList();
	}

	/**
	 * The one of the application's that stands for all of them.
	 */
	String primaryOf(List<String> names) {
		List<String> primary = (names.size() == 1) ? names : names.stream().filter(this::isPrimary).toList();
		if (primary.size() != 1) {
			throw new LockStoreMissingException(
					"There are " + names.size() + " LockBackend beans, and it is not clear which is the default: "
							+ String.join(", ", names) + ".",
					"Mark one of the beans with @Primary. The others are chosen by @DistributedLock(registry = "
							+ "\"...\") or a qualifier.");
		}
		return primary.get(0);
	}

	private boolean isPrimary(String name) {
		return definitions(name).anyMatch(BeanDefinition::isPrimary);
	}

	private boolean isOurs(String name) {
		return definitions(name).map(BeanDefinition::getFactoryBeanName)
			.filter(Objects::nonNull)
			.flatMap(this::definitions)
			.anyMatch((definition) -> definition instanceof AnnotatedBeanDefinition annotated
					&& annotated.getMetadata().isAnnotated(ConditionalOnStore.class.getName()));
	}

	private Stream<BeanDefinition> definitions(String name) {
		return this.beanFactory.containsBeanDefinition(name) ? Stream.of(this.beanFactory.getBeanDefinition(name))
				: Stream.empty();
	}

}
