package io.github.distlock.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Converts to text the way keys do. The standard converter would join a collection with
 * commas, so that {@code ["a,b"]} and {@code ["a", "b"]} gave one key.
 */
final class KeyTypeConverter implements TypeConverter {

	private final TypeConverter standard = new StandardTypeConverter();

	private final KeyConverter guard;

	KeyTypeConverter(KeyConverter guard) {
		this.guard = guard;
	}

	@Override
	public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
		return this.standard.canConvert(sourceType, targetType);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		if (value != null && targetType.getType() == String.class) {
			this.guard.part(value, "that is converted to a text");
			return KeyText.of(value);
		}
		return this.standard.convertValue(value, sourceType, targetType);
	}

}
