package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Rejects durations of this library that have no unit. Spring Boot would read such a
 * number as milliseconds, and {@code @DistributedLock} rejects it. 0 and -1 need no unit;
 * the properties classes check whether these values are allowed.
 */
final class DurationUnitBindHandler extends AbstractBindHandler {

	private static final ConfigurationPropertyName DISTLOCK = ConfigurationPropertyName.of("distlock");

	private static final Pattern NUMBER_WITHOUT_UNIT = Pattern.compile("[+-]?\\d+");

	private static final Pattern UNIT_OPTIONAL = Pattern.compile("[+-]?0+|-1");

	private final Environment environment;

	DurationUnitBindHandler(BindHandler parent, Environment environment) {
		super(parent);
		this.environment = environment;
	}

	@Override
	public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			Object result) {
		ConfigurationProperty property = context.getConfigurationProperty();
		if (result instanceof Duration && property != null && DISTLOCK.isAncestorOf(name)) {
			String value = this.environment.resolvePlaceholders(String.valueOf(property.getValue())).trim();
			if (NUMBER_WITHOUT_UNIT.matcher(value).matches() && !UNIT_OPTIONAL.matcher(value).matches()) {
				throw PropertyChecks.invalid(name.toString(), value,
						"it has no unit and would be read as " + value + " milliseconds",
						"Write a number with a unit, such as " + value + "ms or " + value + "s");
			}
		}
		return super.onSuccess(name, target, context, result);
	}

}
