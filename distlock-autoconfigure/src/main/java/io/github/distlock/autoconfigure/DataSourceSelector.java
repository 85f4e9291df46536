package io.github.distlock.autoconfigure;

import java.util.Arrays;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * Finds the database that the application means.
 */
record DataSourceSelector(ListableBeanFactory beanFactory) {

	private static final String PROPERTY = "distlock.jdbc.data-source";

	DataSource select(@Nullable String beanName) {
		// Not the factory beans: what they make may need the locks.
		String[] names = this.beanFactory.getBeanNamesForType(DataSource.class, true, false);
		if (StringUtils.hasText(beanName)) {
			return named(beanName, names);
		}
		if (names.length == 0) {
			throw new LockStoreMissingException("distlock keeps its locks in a database, and there is no DataSource "
					+ "bean. Spring Boot makes one from spring.datasource.* if a pool and a driver are on the class "
					+ "path.", """
							Do one of these:
							- add org.springframework.boot:spring-boot-starter-jdbc and the driver of the database, \
							and set spring.datasource.url
							- define a DataSource bean, or a LockBackend bean of your own
							- set distlock.enabled=false to run without locks""");
		}
		DataSource dataSource = this.beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		if (dataSource == null) {
			throw new LockStoreMissingException(
					"distlock keeps its locks in a database, and there are " + names.length
							+ " DataSource beans, none of them primary: " + list(names) + ".",
					"Set " + PROPERTY + " to one of these names, or mark one of the beans with @Primary.");
		}
		return dataSource;
	}

	private DataSource named(String beanName, String[] names) {
		if (!this.beanFactory.containsBean(beanName) || !this.beanFactory.isTypeMatch(beanName, DataSource.class)) {
			throw new LockStoreMissingException(
					"Property '" + PROPERTY + "' is '" + beanName + "': there is no DataSource bean of that name.",
					(names.length > 0) ? "Set it to one of " + list(names) + ", or remove it."
							: "Define such a bean, or remove the property and set spring.datasource.url.");
		}
		return this.beanFactory.getBean(beanName, DataSource.class);
	}

	private static String list(String[] names) {
		return Arrays.stream(names).sorted().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

}
